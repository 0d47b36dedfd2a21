import os

import anyio
import pytest

from vista_stream_adapters.proxy import references_folder
from vista_stream_adapters.proxy.references_folder import ReferencesFolder, text_of

HTML = """<!doctype html><html><head><title>T</title><style>p { color: red }</style></head>
<body><nav>Menu</nav><h1>The canal</h1><p>It opened in <b>19</b>14 &amp; is
82&nbsp;km long.<p>Second.<script>alert("x")</script><ul><li>One</li><li>Two</li></ul></body></html>"""


def pdf(text):
    """A one-page PDF, written by hand."""
    content = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    start = len(out)
    out += b"xref\n0 6\n0000000000 65535 f \n" + table
    return out + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start


ENCRYPTED = (
    b"/Encrypt << /Filter /Standard /V 4 /R 4 /Length 128 /P -4 /StmF /StdCF /StrF /StdCF"
    b" /CF << /StdCF << /CFM /AESV2 /AuthEvent /DocOpen /Length 16 >> >>"
    b" /O <%s> /U <%s> >> /ID [<%s> <%s>]" % (b"01" * 32, b"02" * 32, b"03" * 16, b"03" * 16)
)


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "references"
    (root / "sub").mkdir(parents=True)
    (root / "b.txt").write_text("\ufeffPlain text.")
    (root / "a.md").write_text("# Title\n\nSome *marked* text.")
    (root / "sub" / "c.HTML").write_text(HTML)
    (root / "sub" / "d.pdf").write_bytes(pdf("The canal opened in 1914."))
    return root


def texts(folder):
    return {reference.name: reference.text for reference in folder.references}


def test_every_kind_of_file_is_read_and_named_by_its_path(folder):
    references = ReferencesFolder(folder)
    assert references.scan()
    assert list(texts(references)) == ["a.md", "b.txt", "sub/c.HTML", "sub/d.pdf"]
    assert texts(references)["b.txt"] == "Plain text."
    assert texts(references)["sub/d.pdf"].strip() == "The canal opened in 1914."


def test_html_is_read_as_a_reader_sees_it():
    blocks = text_of(HTML.encode(), suffix=".html").split("\n\n")
    assert blocks == ["The canal", "It opened in 1914 & is 82 km long.", "Second.", "One", "Two"]


def test_a_page_that_leaves_out_what_html_lets_it_leave_out_is_read():
    assert text_of(b"<title>T</title><p>One<p>Two", suffix=".htm") == "One\n\nTwo"


def test_other_files_and_such_that_are_broken_are_left_out_and_told(folder, caplog):
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / ".hidden.txt").write_text("Hidden.")
    (folder / ".git").mkdir()
    (folder / ".git" / "x.txt").write_text("Hidden.")
    (folder / "latin.txt").write_bytes(b"caf\xe9")
    (folder / "empty.txt").write_text(" ")
    (folder / "not.pdf").write_bytes(b"no pdf at all")
    references = ReferencesFolder(folder)
    references.scan()
    assert len(references.references) == 4
    for name in ("latin.txt", "empty.txt", "not.pdf"):
        assert f"reference {name} is left out" in caplog.text


def test_a_file_that_its_reader_chokes_on_is_left_out_alone(folder, caplog):
    content = pdf("Text.").replace(b"/Root 1 0 R", b"/Root 1 0 R " + ENCRYPTED)
    (folder / "bad.pdf").write_bytes(content)
    references = ReferencesFolder(folder)
    assert references.scan()
    assert len(references.references) == 4
    assert "reference bad.pdf is left out" in caplog.text
    assert not references.scan()


@pytest.mark.parametrize("error", [ImportError("needs a library"), MemoryError(), RecursionError()])
def test_whatever_a_reader_raises_leaves_out_its_file_alone(folder, caplog, monkeypatch, error):
    def fail(content, *, suffix):
        if suffix == ".pdf":
            raise error
        return text_of(content, suffix=suffix)

    monkeypatch.setattr("vista_stream_adapters.proxy.references_folder.text_of", fail)
    references = ReferencesFolder(folder)
    references.scan()
    assert list(texts(references)) == ["a.md", "b.txt", "sub/c.HTML"]
    assert f"reference sub/d.pdf is left out: {type(error).__name__}" in caplog.text


def test_a_folder_that_is_removed_meanwhile_is_empty(folder, monkeypatch):
    scandir = os.scandir

    def removing(path):
        if str(path).endswith("sub"):
            raise FileNotFoundError(path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", removing)
    references = ReferencesFolder(folder)
    references.scan()
    assert list(texts(references)) == ["a.md", "b.txt"]


def test_a_link_that_leads_out_is_not_followed(folder, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("Secret.")
    (folder / "link.txt").symlink_to(secret)
    references = ReferencesFolder(folder)
    references.scan()
    assert "link.txt" not in texts(references)


def test_a_scan_reads_only_what_changed(folder):
    references = ReferencesFolder(folder)
    references.scan()
    before = {reference.name: reference for reference in references.references}
    assert not references.scan()
    (folder / "b.txt").write_text("Changed text.")
    os.utime(folder / "b.txt", (1, 1))
    (folder / "a.md").unlink()
    (folder / "e.txt").write_text("New.")
    assert references.scan()
    assert list(texts(references)) == ["b.txt", "e.txt", "sub/c.HTML", "sub/d.pdf"]
    assert texts(references)["b.txt"] == "Changed text."
    after = {reference.name: reference for reference in references.references}
    assert after["sub/d.pdf"] is before["sub/d.pdf"]


@pytest.mark.anyio
async def test_watching_notices_a_change(folder):
    references = ReferencesFolder(folder)
    references.scan()
    async with anyio.create_task_group() as tasks:
        with anyio.fail_after(5):
            tasks.start_soon(lambda: references.watch(every=0.01))
            (folder / "new.txt").write_text("New.")
            while "new.txt" not in texts(references):  # noqa: ASYNC110 - the folder tells nobody
                await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()


@pytest.mark.anyio
async def test_a_scan_that_fails_does_not_end_the_watch(folder, monkeypatch, caplog):
    references = ReferencesFolder(folder)
    failures = [OSError("the disk is away"), OSError("the disk is away")]
    scan = references.scan

    def failing():
        if failures:
            raise failures.pop()
        return scan()

    monkeypatch.setattr(references, "scan", failing)
    async with anyio.create_task_group() as tasks:
        with anyio.fail_after(5):
            tasks.start_soon(lambda: references.watch(every=0.01))
            while not texts(references):  # noqa: ASYNC110 - the folder tells nobody
                await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()
    assert "OSError: the disk is away" in caplog.text


def test_no_folder_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="references must be a folder"):
        ReferencesFolder(tmp_path / "none")


def test_a_file_that_becomes_something_else_is_left_out(folder, tmp_path, caplog, monkeypatch):
    secret = tmp_path / "secret.txt"
    secret.write_text("The secret is 4711.")
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text("The doors are open.")
    found = references_folder._stamp

    def swap(path):
        stamp = found(path)
        if path.name in ("a.txt", "b.txt") and not path.is_symlink():
            path.unlink()
            path.symlink_to(secret) if path.name == "a.txt" else os.mkfifo(path)
        return stamp

    monkeypatch.setattr(references_folder, "_stamp", swap)
    references = ReferencesFolder(folder)
    references.scan()
    assert not any("4711" in text for text in texts(references).values())
    assert "a.txt is left out: it leads out of the folder" in caplog.text
    assert "b.txt is left out: it is no file" in caplog.text
