"""What functions of texts keep: nothing that another scope could notice."""

from vista_stream.caching import cache_scope, cached_by_scope, forget_all


def test_a_function_is_called_once_for_a_text_in_each_scope():
    calls = []

    @cached_by_scope(2)
    def length(text: str) -> int:
        calls.append(text)
        return len(text)

    assert [length("ab"), length("ab")] == [2, 2]
    for client in ("anna", "carl", "anna"):
        with cache_scope(client):
            assert length("ab") == 2
    assert len(calls) == 3  # two results are kept: Anna's and Carl's
    assert length("ab") == 2
    assert len(calls) == 4
    forget_all()
    assert length("ab") == 2
    assert len(calls) == 5


def test_the_function_itself_keeps_nothing():
    calls = []

    @cached_by_scope(8)
    def length(text: str) -> int:
        """The length."""
        calls.append(text)
        return len(text)

    assert (length.__wrapped__("ab"), length.__wrapped__("ab"), length.__doc__) == (2, 2, "The length.")
    assert calls == ["ab", "ab"]
