import os
import threading

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.claims import Utterance
from vista_stream.cli import CommandError
from vista_stream.cli.inputs import read_background, read_history, stream_text


def streamed(pieces, *, chunk=None):
    """What arrives of bytes that a pipe gives piece by piece, and the error at the end."""
    reader, writer = os.pipe()

    def write():
        with os.fdopen(writer, "wb", buffering=0) as file:
            for piece in pieces:
                file.write(piece)

    async def collect():
        deltas = []
        try:
            async for delta in stream_text(reader, chunk=chunk):
                deltas.append(delta)
        except CommandError as error:
            return deltas, str(error)
        return deltas, None

    writing = threading.Thread(target=write)
    writing.start()
    try:
        return anyio.run(collect)
    finally:
        writing.join()
        os.close(reader)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.data())
def test_text_comes_out_however_its_bytes_are_cut(text, data):
    encoded = text.encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(encoded)), max_size=4)))
    pieces = [encoded[a:b] for a, b in zip([0, *cuts], [*cuts, len(encoded)], strict=True)]
    deltas, error = streamed(pieces)
    assert ("".join(deltas), error) == (text.removeprefix("\ufeff"), None)


@pytest.mark.parametrize("after", [b"- a list", b"\xff"])
def test_a_byte_order_mark_is_left_out_and_counts_as_bytes(after):
    mark = b"\xef\xbb\xbf"
    deltas, error = streamed([mark[:2], mark[2:] + mark, after])
    assert "".join(deltas) == ("\ufeff- a list" if error is None else "\ufeff")
    assert error is None or "byte 7 " in error
    assert streamed([mark])[0] == []


def test_chunk_bounds_each_delta():
    deltas, _ = streamed(["añb\r\ncd".encode()], chunk=2)
    assert deltas == ["añ", "b\r", "\nc", "d"]


@pytest.mark.parametrize(
    ("pieces", "before", "byte"),
    [
        ([b"good \xff bad"], "good ", 6),
        ([b"good ", b"\xffbad"], "good ", 6),
        ([b"caf\xc3", b"("], "caf", 4),
        ([b"cut short \xe2\x82"], "cut short ", 11),
    ],
)
def test_bytes_that_are_not_utf8_are_named_after_the_text_before_them(pieces, before, byte):
    deltas, error = streamed(pieces)
    assert "".join(deltas) == before
    assert error == f"standard input is not UTF-8: byte {byte} is not part of a character"


@pytest.mark.parametrize("content", ["", "A whole file.\nTwo lines."])
def test_a_regular_file_is_read_like_a_pipe(content, tmp_path):
    path = tmp_path / "answer.txt"
    path.write_text(content)

    async def collect(descriptor):
        return "".join([delta async for delta in stream_text(descriptor)])

    with path.open("rb") as file:
        assert anyio.run(collect, file.fileno()) == content


@pytest.mark.parametrize(
    ("flags", "told"), [(os.O_RDONLY, "Is a directory"), (os.O_WRONLY, "Bad file descriptor")]
)
def test_what_cannot_be_read_is_told_in_one_line(flags, told, tmp_path):
    (tmp_path / "answer.txt").touch()
    descriptor = os.open(tmp_path if flags == os.O_RDONLY else tmp_path / "answer.txt", flags)

    async def collect():
        return [delta async for delta in stream_text(descriptor)]

    try:
        with pytest.raises(CommandError, match=f"^standard input: {told}$"):
            anyio.run(collect)
    finally:
        os.close(descriptor)


def test_text_is_given_before_the_stream_ends():
    reader, writer = os.pipe()

    async def first():
        async for delta in stream_text(reader):
            return delta

    os.write(writer, b"early")
    try:
        assert anyio.run(first) == "early"
    finally:
        os.close(writer)
        os.close(reader)


def test_history_is_one_utterance_a_line(tmp_path):
    path = tmp_path / "history.jsonl"
    path.write_text('{"role": "user", "text": "Hi"}\n\n{"role": "assistant", "text": "Yes?"}\n')
    assert read_history(str(path)) == [
        Utterance(role="user", text="Hi"),
        Utterance(role="assistant", text="Yes?"),
    ]


def test_a_line_separator_stands_inside_an_utterance(tmp_path):
    path = tmp_path / "history.jsonl"
    path.write_text('{"role": "user", "text": "Hi\u2028there"}\n', encoding="utf-8")
    assert read_history(str(path)) == [Utterance(role="user", text="Hi\u2028there")]


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"role": "system", "text": "x"}', '{"role": "user"}'])
def test_a_bad_history_line_is_named(line, tmp_path):
    path = tmp_path / "history.jsonl"
    path.write_text('{"role": "user", "text": "Hi"}\n' + line)
    with pytest.raises(CommandError, match=r"history.jsonl, line 2: "):
        read_history(str(path))


def test_background_is_one_fact_a_line(tmp_path):
    path = tmp_path / "facts.txt"
    path.write_text("The museum opens at nine.\n\n  It has two floors. \n")
    assert read_background(str(path)) == ["The museum opens at nine.", "It has two floors."]


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(CommandError, match=r"nowhere.txt: No such file"):
        read_background(str(tmp_path / "nowhere.txt"))
    binary = tmp_path / "binary.txt"
    binary.write_bytes(b"ab\xff")
    with pytest.raises(CommandError, match=r"binary.txt is not UTF-8: byte 3"):
        read_background(str(binary))
