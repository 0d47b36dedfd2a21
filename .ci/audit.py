"""Runs in the environment under test: what `import vista_stream` and a guarded turn cost and touch."""

import subprocess
import sys

MEASURE = "import time; t = time.perf_counter(); import vista_stream; print(time.perf_counter() - t)"
HEAVY = ("torch", "transformers", "spacy", "onnxruntime", "aiohttp", "openai")
NETWORK = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.bind", "urllib.Request")


def import_seconds() -> float:
    """The best of ten fresh processes, so that a busy machine is no failure."""
    command = [sys.executable, "-c", MEASURE]
    runs = [subprocess.run(command, capture_output=True, check=True) for _ in range(10)]
    return min(float(run.stdout) for run in runs)


def forbid_network(event: str, arguments: tuple[object, ...]) -> None:
    """Audit hook: any use of the network ends the run."""
    if event in NETWORK:
        raise RuntimeError(f"network used: {event} {arguments}")


def main() -> None:
    """Exit non-zero, saying why, where a promise is broken."""
    seconds = import_seconds()
    print(f"import vista_stream: {seconds * 1000:.0f} ms")
    if seconds > 0.3:
        sys.exit("import vista_stream takes more than 0.3 s")
    sys.addaudithook(forbid_network)
    import vista_stream

    loaded = [name for name in HEAVY if name in sys.modules]
    if loaded:
        sys.exit(f"import vista_stream loads {', '.join(loaded)}")
    session = vista_stream.Session()
    session.add_reference("The canal was opened in 1914.")
    list(session.turn_sync(["The canal was ope", "ned in 1914."]))
    loaded = [name for name in ("torch", "transformers") if name in sys.modules]
    if loaded:
        sys.exit(f"a guarded turn loads {', '.join(loaded)}")
    print("no network at import or in a guarded turn")


if __name__ == "__main__":
    main()
