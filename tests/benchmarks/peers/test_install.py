"""What is read of a guard file, and the environments that are built of it."""

import subprocess

import pytest

from benchmarks.peers.install import CannotInstall, install, peers, read

GUARD = (
    'NAME = "a"\nPACKAGES: list[str] = ["b==1"]\nSETTINGS = {"documented": "as is"}\nOWN_VERIFIER = None\n'
)


def guard(folder, text=GUARD):
    path = folder / "a.py"
    path.write_text("import nowhere\n" + text)
    return path


def test_a_guard_file_is_read_without_its_peer(tmp_path):
    path = guard(tmp_path)
    peer = read(path)
    assert (peer.name, peer.packages, peer.settings) == ("a", ("b==1",), {"documented": "as is"})
    assert peer.own_verifier is None
    path.with_suffix(".txt").write_text("# all that it drew in\nb==1\nc==2\n\n")
    assert read(path).packages == ("b==1", "b==1", "c==2")


def test_what_a_guard_file_lacks_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"a\.py must assign a literal to NAME, OWN_VERIFIER"):
        read(guard(tmp_path, 'PACKAGES = []\nSETTINGS = {"documented": ""}\n'))


def test_the_floor_and_ours_come_first():
    found = peers()
    assert [peer.name for peer in found[:2]] == ["passthrough", "vista-stream"]
    assert all("documented" in peer.settings for peer in found)


def test_an_environment_is_built_once_for_the_same_pins(tmp_path):
    peer = read(guard(tmp_path, GUARD.replace('["b==1"]', "[]")))
    home = install(peer, tmp_path / "venvs")
    code = "import importlib.metadata as m, sys; print(len(list(m.distributions())), sys.prefix)"
    told = subprocess.run(
        [home.python, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert told == ["0", str(home.python.parents[1])]
    again = install(peer, tmp_path / "venvs")
    assert again == home
    (folder,) = (tmp_path / "venvs").iterdir()
    folder.rename(folder.with_name("a-0123456789ab"))
    (tmp_path / "venvs" / "a-b-0123456789ab").mkdir()
    install(peer, tmp_path / "venvs")
    assert {path.name for path in (tmp_path / "venvs").iterdir()} == {folder.name, "a-b-0123456789ab"}


def test_why_a_peer_cannot_be_installed_is_one_line(tmp_path):
    peer = read(guard(tmp_path, GUARD.replace("b==1", "./nowhere-at-all")))
    with pytest.raises(CannotInstall, match="nowhere-at-all") as caught:
        install(peer, tmp_path / "venvs")
    assert "\n" not in str(caught.value)
