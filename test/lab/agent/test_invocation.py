"""How the agent and the API cut what a step printed."""

from __future__ import annotations

import pytest

from lab.agent.invocation import short_output, step_result

OUTPUT_CHARACTERS = 2500
TITLE = "\n----------ERROR-------\n"


@pytest.mark.parametrize(
    ("stdout_characters", "stderr_characters", "ending_of_stdout", "ending_of_stderr"),
    [
        (2499, 0, "a", ""),
        (2500, 0, "a\n---Output truncated---", ""),
        (100, 200, "a", "b"),
        (100, 9000, "a", "b\n---Error truncated----"),
        (9000, 100, "a\n---Output truncated---", "b"),
        (9000, 9000, "a\n---Output truncated---", "b\n---Error truncated----"),
    ],
)
def test_output_has_both_in_2500_characters_and_marks_what_is_cut(
    stdout_characters: int, stderr_characters: int, ending_of_stdout: str, ending_of_stderr: str
) -> None:
    output = short_output("a" * stdout_characters, "b" * stderr_characters)

    stdout, title, stderr = output.partition(TITLE)
    assert stdout.endswith(ending_of_stdout)
    assert (bool(title), stderr.endswith(ending_of_stderr)) == (stderr_characters > 0, True)
    is_cut = stdout_characters + stderr_characters + len(title) >= OUTPUT_CHARACTERS
    assert len(output) == (OUTPUT_CHARACTERS if is_cut else stdout_characters + len(title) + stderr_characters)


@pytest.mark.parametrize(
    ("printed_characters", "sent_characters", "ending"),
    [(24_000, 24_000, "aa"), (24_001, 24_000, "a--output truncated--")],
)
def test_standard_output_has_24000_characters_and_marks_what_is_cut(
    printed_characters: int, sent_characters: int, ending: str
) -> None:
    result = step_result("measure", "Success", 0, stdout="a" * printed_characters)

    assert len(result.standard_output) == sent_characters
    assert result.standard_output.endswith(ending)


def test_the_api_returns_8000_characters_of_standard_error_without_a_mark() -> None:
    assert step_result("measure", "Failed", 1, stderr="b" * 8001).standard_error == "b" * 8000
