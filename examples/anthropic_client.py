"""The official anthropic client under guard.

ANTHROPIC_API_KEY=... python examples/anthropic_client.py
"""

from anthropic import Anthropic

from vista_stream_adapters.anthropic import guard_anthropic
from vista_stream_adapters.guard import Guard

REFERENCE = "The Panama Canal was opened in August 1914. It was handed over to Panama at the end of 1999."


def main(model: str = "claude-sonnet-4-5") -> None:
    with (
        guard_anthropic(Anthropic(), Guard(references=[REFERENCE])) as client,
        client.messages.stream(
            model=model,
            max_tokens=200,
            messages=[{"role": "user", "content": "When was the Panama Canal opened?"}],
        ) as stream,
    ):
        for text in stream.text_stream:
            print(text, end="", flush=True)


if __name__ == "__main__":
    main()
