from vista_stream.training.made import lexicon


def test_antonyms_are_many_and_never_the_same_word() -> None:
    assert len(lexicon.ANTONYMS) >= 250
    assert all(left != right for left, right in lexicon.ANTONYMS.items())


def test_no_word_is_both_opposite_and_synonym() -> None:
    for left, right in lexicon.SYNONYMS.items():
        assert lexicon.ANTONYMS.get(left) != right
        assert lexicon.COMPARISON.get(left) != right


def test_a_unit_has_others_but_not_itself() -> None:
    assert all(unit not in others and others for unit, others in lexicon.UNITS.items())
