"""What the classifier of claim kinds reads in a claim's wording."""

from vista_stream.core.extraction.kind_features import phrases_of


def test_phrases_are_words_and_pairs_of_them_with_names_and_numbers_alike() -> None:
    assert phrases_of("The bot’s cat weighs 4.5 kg, as Mia says!") == [
        *("the", "bot's", "cat", "weighs", "0", "kg", "as", "name", "says", "!"),
        *("^ the", "the bot's", "bot's cat", "cat weighs", "weighs 0", "0 kg", "kg as", "as name"),
        *("name says", "says !"),
    ]
    assert phrases_of("Very, very good") == ["very", "good", "^ very", "very very", "very good"]
    assert phrases_of("") == []
