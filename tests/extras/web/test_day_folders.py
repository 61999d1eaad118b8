"""A folder of days: what is a day, and what the server gives of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
from web_server import Server

from milp_pips.cli import main
from milp_pips.extras.web import days as days_module
from milp_pips.extras.web.days import read_days


@pytest.mark.long
def test_a_folder_of_days_is_served_by_date_alone(tmp_path):
    day = (Path(__file__).parents[3] / "examples" / "pips" / "three_levels.json").read_text()
    (tmp_path / "plugins").mkdir()
    (tmp_path / "some name.json").write_text(day)
    (tmp_path / "secret.txt").write_text("secret")
    address = "https://example.org/pips/"
    server = Server(tmp_path / "plugins", "--workers", "1", "--address", address, str(tmp_path))
    try:
        status, _, body = server.get("/days.json")
        assert (status, json.loads(body)) == (200, {"days": ["2026-11-21"], "address": address})
        assert json.loads(server.get("/days/2026-11-21")[2]) == {"text": day}
        for name in ("some%20name.json", "..%2Fsecret.txt", "%2Fetc%2Fpasswd", "2026-11-22", "secret.txt"):
            assert server.get(f"/days/{name}")[0] == 404
        assert server.get("/days/2026-11-21", Host="evil.example")[0] == 403
        assert server.get("/days/2026-11-21", Host="example.org")[0] == 200
    finally:
        server.process.kill()
        server.process.communicate()


@pytest.mark.parametrize(
    "name, content, told",
    [("notes.json", "[]", 'no file *.json with "printDate"'), ("", "", "cannot read the folder")],
)
def test_a_folder_without_days_costs_one_line(name, content, told, tmp_path, capsys):
    if name:
        (tmp_path / name).write_text(content)
    folder = tmp_path if name else tmp_path / "absent"
    assert main(["web", "--no-browser", "--port", "0", str(folder)]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert told in error
    assert str(folder) in error


def test_a_file_that_cannot_be_read_costs_one_line_and_no_other_file(tmp_path):
    day = (Path(__file__).parents[3] / "examples" / "pips" / "three_levels.json").read_text()
    (tmp_path / "day.json").write_bytes(b"\xef\xbb\xbf" + day.encode())  # a mark of UTF-8 is no fault
    (tmp_path / "utf16.json").write_bytes(day.replace("2026-11-21", "2026-11-22").encode("utf-16"))
    (tmp_path / "latin.json").write_bytes(day.replace("2026-11-21", "2026-11-23").encode() + b"\xe9")
    days, faults = read_days(str(tmp_path))
    assert days == {"2026-11-21": day}
    assert faults == [f"{tmp_path / name}: it is not UTF-8; skipped" for name in ("latin.json", "utf16.json")]


def test_a_file_that_the_system_refuses_costs_one_line_and_no_other_file(tmp_path, monkeypatch):
    day = (Path(__file__).parents[3] / "examples" / "pips" / "three_levels.json").read_text()
    for name in ("day.json", "secret.json"):
        (tmp_path / name).write_text(day)

    def refuse(path, *how):
        if str(path).endswith("secret.json"):
            raise PermissionError(13, "Permission denied")
        return open(path, *how)

    monkeypatch.setattr(days_module, "open", refuse, raising=False)
    days, faults = read_days(str(tmp_path))
    assert list(days) == ["2026-11-21"]
    assert faults == [f"{tmp_path / 'secret.json'}: Permission denied; skipped"]
