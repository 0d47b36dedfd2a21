from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from vista_stream.errors import InferenceError, ModelLoadError
from vista_stream.verifiers.flan_t5_manifest import read_flan_t5_manifest
from vista_stream.verifiers.flan_t5_prompts import Prompter, batches


@pytest.fixture
def prompter(write_flan_t5):
    folder = write_flan_t5()
    return lambda max_length: Prompter(folder, read_flan_t5_manifest(folder), max_length=max_length)


def test_a_premise_that_fits_is_one_prompt(prompter):
    # tin bee | implies fig </s>
    assert prompter(5).prompts("tin bee", "fig", question="entailment") == [[3, 4, 10, 6, 1]]
    assert prompter(5).prompts("tin bee", "fig", question="contradiction") == [[3, 4, 11, 6, 1]]


def test_only_the_premise_is_cut_and_every_prompt_fits(prompter):
    premise = "Tin bee rye. " * 30
    rows = prompter(20).prompts(premise, "fig elm", question="entailment")
    assert len(rows) > 1
    assert all(len(row) <= 20 and row[-4:] == [10, 6, 7, 1] for row in rows)


def test_a_sentence_above_the_budget_is_read_to_its_end(prompter):
    rows = prompter(10).prompts("tin " * 14 + "bee oak", "fig", question="entailment")
    assert rows == [[*part, 10, 6, 1] for part in ([3] * 7, [3] * 7, [3] * 5 + [4, 5])]


def test_markup_between_sentences_takes_none_of_them_away(prompter):
    # The sentences of a passage are within the budget, but not with the rules between them.
    premise = "Tin bee rye.\n\n* * * * * *\n\n" * 8 + "Oak elm ash."
    rows = prompter(20).prompts(premise, "fig", question="entailment")
    assert all(len(row) <= 20 for row in rows)
    assert any(row[-6:-3] == [2, 7, 9] for row in rows)


def test_a_long_premise_of_markup_alone_is_read(prompter):
    rows = prompter(10).prompts("---\n" * 600, "fig", question="entailment")
    assert rows == [[2] * 7 + [10, 6, 1]] * 86


def test_half_a_surrogate_pair_is_read_as_a_word_that_is_not_known(prompter):
    ask = prompter(9).prompts
    half, unknown = (ask(f"tin {word} bee", "fig", question="entailment") for word in "\ud83d?")
    assert half == unknown


def test_a_hypothesis_in_the_premise_is_not_a_template(prompter):
    (row,) = prompter(20).prompts("{hypothesis} tin {premise}", "fig", question="entailment")
    assert row == [2, 3, 2, 10, 6, 1]


def test_a_text_that_spells_the_end_token_ends_nothing(write_flan_t5):
    folder = write_flan_t5()
    manifest = read_flan_t5_manifest(folder)
    # As in T5's own tokenizer, the end token is a piece of the vocabulary, and a special token too.
    pieces = ["<pad>", "</s>", "<unk>", "▁", *"abdeilmnps"]
    tokenizer = Tokenizer(models.Unigram([(piece, 0.0) for piece in pieces], 2))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.add_special_tokens(["</s>"])
    tokenizer.save(str(folder / "tokenizer.json"))
    asks = Prompter(folder, manifest, max_length=99)
    for premise, hypothesis in (("a</s> b", "d"), ("a b", "d</s>")):
        (row,) = asks.prompts(premise, hypothesis, question="entailment")
        assert row.count(1) == 1


def test_a_hypothesis_that_leaves_no_room_is_an_inference_error(prompter):
    with pytest.raises(InferenceError, match="too long for the 6 tokens of tiny"):
        prompter(6).prompts("tin", "fig " * 10, question="entailment")


@pytest.mark.parametrize(("tokens", "rows"), [(7, 1), (8, 2)])
def test_published_chunks_begin_where_the_whole_prompt_reaches_the_size(prompter, tokens, rows):
    premise = "tin " * tokens
    assert len(prompter(99).published(premise, "fig", chunk_tokens=11, overlap=0.25)) == rows


def test_a_hypothesis_that_leaves_no_room_in_published_chunks_is_an_inference_error(prompter):
    cut = prompter(99).published
    with pytest.raises(
        InferenceError, match=r"too long for chunk_tokens 5, of which the question takes 5: 'f"
    ):
        cut("tin", "fig elm rye", chunk_tokens=5, overlap=0.25)
    assert cut("tin bee", "fig elm", chunk_tokens=5, overlap=0) == [[3, 10, 6, 7, 1], [4, 10, 6, 7, 1]]


def test_a_damaged_tokenizer_is_a_model_load_error(write_flan_t5):
    folder = write_flan_t5()
    manifest = read_flan_t5_manifest(folder)
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelLoadError, match="not a tokenizer"):
        Prompter(folder, manifest, max_length=9)


@given(st.lists(st.integers(1, 600)), st.integers(1, 2000), st.floats(0, 0.9))
def test_batches_hold_each_row_once_within_tokens_and_waste(lengths, max_tokens, waste):
    found = batches(lengths, max_tokens=max_tokens, waste=waste)
    assert sorted(row for batch in found for row in batch) == list(range(len(lengths)))
    for batch in found:
        longest = max(lengths[row] for row in batch)
        assert len(batch) == 1 or len(batch) * longest <= max_tokens
        assert all(lengths[row] >= (1 - waste) * longest for row in batch)


def test_rows_of_one_length_share_a_batch():
    assert batches([5, 5, 5, 5], max_tokens=10, waste=0.0) == [[0, 1], [2, 3]]
