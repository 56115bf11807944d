"""What was observed on the public SSM agent of October 2024: what the steps of a document come to, one case each.

What the observations leave open is taken from the agent's source of that time (agent/executers/executers.go and
agent/framework/processor/executer/outofproc/master.go), and the case says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agent_support import HOST, make_step

Step = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """`says` holds, by step, what the step's standard output (or else its error output) is."""

    observation: str
    steps: list[Step]
    outcomes: list[tuple[str, int]]
    says: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    given: dict[str, list[str]] = field(default_factory=dict)
    status: str = "Success"


def on(step: Step, *arguments: str) -> Step:
    return step | {"precondition": {"StringEquals": list(arguments)}}


def stopped_with(exit_code: int) -> list[Step]:
    """Returns a step that ends the document, one that must not run then, and one that runs in any case."""
    return [
        make_step(f"exit {exit_code}", name="stops"),
        make_step("exit 4", name="skipped"),
        make_step("echo ran", name="cleans", finallyStep="true"),
    ]


WORD = {"Word": {"type": "String", "default": "default"}}
DONE, SKIPPED = ("Success", 0), ("Success", 0)
EARLIER_EXIT = "Step execution skipped due to an earlier step's exit"
UNMET = "Step execution skipped due to unsatisfied preconditions: "
# 141 is the end by SIGPIPE, which a script must not ignore.
ENDED_BY_A_CLOSED_PIPE = "{ { yes; echo $? >&3; } | head -n 1 >/dev/null; } 3>&1"

CASES = [
    Case(
        "parameters, preconditions, onFailure exit, finallyStep: Success/Skipped/Failed/Success, document Failed",
        [
            make_step("echo '{{ Word }}'", name="first"),
            on(make_step("exit 4", name="windows"), "platformType", "Windows"),
            make_step("exit 3", name="fails", onFailure="exit"),
            make_step("exit 4", name="skipped"),
            make_step("echo cleaned", name="cleans", finallyStep=True),
        ],
        [DONE, SKIPPED, ("Failed", 3), SKIPPED, DONE],
        {
            "first": "given\n",
            "windows": UNMET + "'\"StringEquals\": [platformType, Windows]'. Step name: windows",
            "fails": "failed to run commands: exit status 3",
            "skipped": EARLIER_EXIT,
            "cleans": "cleaned\n",
        },
        WORD,
        {"Word": ["given"]},
        status="Failed",
    ),
    Case(
        "without onFailure later steps run after a failure; the document has the worst status",
        [make_step("exit 137", name="timed-out"), make_step("exit 3", name="fails"), make_step("true", name="good")],
        [("TimedOut", 137), ("Failed", 3), DONE],
        status="Failed",
    ),
    Case(
        "onFailure and successAndExit react to Failed only, not to TimedOut",
        [
            make_step("exit 137", name="exits", onFailure="exit"),
            make_step("exit 137", name="succeeds", onFailure="successAndExit"),
            make_step("echo ran", name="next"),
        ],
        [("TimedOut", 137), ("TimedOut", 137), DONE],
        {"next": "ran\n"},
        status="TimedOut",
    ),
    Case(
        "exit 137, or a child that was killed as the last command, is reported as TimedOut",
        [make_step("sh -c 'kill -KILL $$'"), make_step("exit 137", name="exits")],
        [("TimedOut", 137), ("TimedOut", 137)],
        status="TimedOut",
    ),
    Case(
        "exit 168 is Success and stops, its code stays 168; finallyStep still runs",
        stopped_with(168),
        [("Success", 168), SKIPPED, DONE],
        {"skipped": EARLIER_EXIT, "cleans": "ran\n"},
    ),
    Case(
        "exit 169 is Failed and stops; finallyStep still runs",
        stopped_with(169),
        [("Failed", 169), SKIPPED, DONE],
        {"skipped": EARLIER_EXIT, "cleans": "ran\n"},
        status="Failed",
    ),
    Case(
        "finallyStep is ignored on any other than the last step",
        [
            make_step("exit 3", name="fails", onFailure="exit"),
            make_step("exit 4", name="middle", finallyStep=True),
            make_step("exit 4", name="last"),
        ],
        [("Failed", 3), SKIPPED, SKIPPED],
        {"middle": EARLIER_EXIT},
        status="Failed",
    ),
    Case(
        "a missing absolute workingDirectory fails with 1 and a message about sh",
        [make_step("true", workingDirectory="/nowhere")],
        [("Failed", 1)],
        # That the sentence of a failed step comes before it is from the source.
        {"measure": "failed to run commands: fork/exec /usr/bin/sh: no such file or directory"},
        status="Failed",
    ),
    Case(
        "a relative workingDirectory is one of downloads if it exists, else the agent's own",
        [
            make_step("pwd", name="before", workingDirectory="made"),
            make_step(f"mkdir -p /var/lib/amazon/ssm/{HOST}/document/orchestration/$SSM_COMMAND_ID/downloads/made"),
            make_step("pwd | sed s/$SSM_COMMAND_ID/command/", name="after", workingDirectory="made"),
        ],
        [DONE, DONE, DONE],
        {
            "before": "/usr/bin\n",
            "after": f"/var/lib/amazon/ssm/{HOST}/document/orchestration/command/downloads/made\n",
        },
    ),
    Case(
        "runCommand is joined into _script.sh of mode 0700, which sh -c runs; a later #! is a comment",
        [
            make_step(
                ["echo one", "#!/bin/nowhere", "tail -n 1 $0 | sed 's/.*>&1/end/'; stat -c %a $0; echo $0 >&1"],
                name="step",
            )
        ],
        [DONE],
        {"step": f"one\nend\n700\n/var/lib/amazon/ssm/{HOST}/document/orchestration/COMMAND/step/_script.sh\n"},
    ),
    Case(
        "root, standard input /dev/null, umask 0022, no HOME, no USER, SIGPIPE not ignored",
        [
            make_step(
                f"id -u; readlink /proc/self/fd/0; umask; echo ${{HOME-no}} ${{USER-no}}; {ENDED_BY_A_CLOSED_PIPE}"
            )
        ],
        [DONE],
        {"measure": "0\n/dev/null\n0022\nno no\n141\n"},
    ),
    Case(
        "the script has a process group of its own, of which its worker is no member",
        [
            make_step(
                [
                    "worker=$(ps -o ppid= -p $PPID)",
                    "ps -o args= -p $worker | grep -o -m 1 '/ssm-document-worker'",
                    '[ "$(ps -o pgid= -p $$)" = "$(ps -o pgid= -p $worker)" ] || echo another group',
                ]
            )
        ],
        [DONE],
        {"measure": "/ssm-document-worker\nanother group\n"},
    ),
    Case(
        "a given value under another name is dropped and the default used",
        [make_step("echo {{Word}}")],
        [DONE],
        {"measure": "default\n"},
        WORD,
        {"Words": ["given"]},
    ),
    Case(
        "a value is put in once and textually, an unknown placeholder stays as text",
        [make_step("echo '{{ Word }} {{Word}} {{ Other }}'")],
        [DONE],
        {"measure": "{{ Word }} {{ Word }} {{ Other }}\n"},
        WORD,
        {"Word": ["{{ Word }}"]},
    ),
    Case(
        "a whole placeholder keeps its type: a StringList is the script",
        [{"action": "aws:runShellScript", "name": "measure", "inputs": {"runCommand": "{{ Lines }}"}}],
        [DONE],
        {"measure": "one\ntwo\n"},
        {"Lines": {"type": "StringList"}},
        {"Lines": ["echo one", "echo two"]},
    ),
    Case(
        "platformType is compared in lower case, several arguments with parameters too",
        [
            on(make_step("true", name="linux"), "platformType", "Linux"),
            on(make_step("true", name="turned"), "linux", "platformType"),
            on(make_step("echo ran", name="equal"), "{{Word}}", "default"),
            on(make_step("exit 4", name="unequal"), "{{Word}}", "other"),
        ],
        [DONE, DONE, DONE, SKIPPED],
        {
            "equal": "ran\n",
            "unequal": UNMET + "'\"StringEquals\": [default, other]'. Step name: unequal",
        },
        WORD,
    ),
    Case(
        "without a shebang sh runs it and only the last command counts",
        [make_step(["false", "echo ${BASH_VERSION:-none}"])],
        [DONE],
        {"measure": "none\n"},
    ),
    Case(
        "onSuccess exit stops",
        [make_step("true", onSuccess="exit"), make_step("exit 4", name="next"), make_step("exit 4", name="last")],
        [DONE, SKIPPED, SKIPPED],
        {"next": EARLIER_EXIT},
    ),
    Case(
        "finallyStep that fails fails the document",
        [make_step("exit 168"), make_step("exit 5", name="cleans", finallyStep=True)],
        [("Success", 168), ("Failed", 5)],
        status="Failed",
    ),
    Case(
        # The agent does not take this end for one by its own signal.
        "a shell that runs the script and is itself killed is reported as Failed",
        [make_step(["#!/bin/bash", "kill -9 $PPID; sleep 1"])],
        [("Failed", -1)],
        {"measure": "failed to run commands: signal: killed"},
        status="Failed",
    ),
    Case(
        "a reboot is asked for by exit 194, which the lab does not have",
        [make_step("exit 194"), make_step("true", name="next")],
        [("Failed", 194), DONE],
        {
            "measure": "failed to run commands: exit status 194"
            "exit code 194 asks for a reboot, which a host of the lab can't do"
        },
        status="Failed",
    ),
    Case(
        "a script that is no list fails without being run",
        [make_step("") | {"inputs": {"runCommand": "true"}}, make_step("true", name="next")],
        [("Failed", 1), DONE],
        {"measure": "Invalid format in plugin properties: runCommand must be a list, got 'true'"},
        status="Failed",
    ),
    Case(
        "a failed step ends its errors with the exit status, and no other does",
        [make_step("echo why >&2; exit 3", name="fails"), make_step("echo fine >&2", name="good")],
        [("Failed", 3), DONE],
        {"fails": "why\nfailed to run commands: exit status 3", "good": "fine\n"},
        status="Failed",
    ),
    Case(
        "background job with its output elsewhere: the step returns at once and the job lives on",
        [
            make_step("sleep 611 >/dev/null 2>&1 &", name="starts", timeoutSeconds=300),
            make_step("pkill -f '^sleep 611'", name="kills"),
        ],
        [DONE, DONE],
    ),
]
