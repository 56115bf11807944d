"""What Trino is told."""

from __future__ import annotations

import pytest
from trino_server import escaped


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("http://127.0.0.1:80", "http://127.0.0.1:80"),
        ("/home/Prüfstand für Netze", r"/home/Pr\u00fcfstand f\u00fcr Netze"),
        ("a\\b", "a\\\\b"),
        ("🙂", r"\ud83d\ude42"),
    ],
)
def test_a_path_with_umlauts_is_written_as_java_reads_it(value: str, written: str) -> None:
    assert escaped(value) == written
