"""The real AWS CLI reads every command of the documents: options, operations, quoting, and the fields of `--query`.

The fenced blocks of a document run in one shell, as a reader would paste them. Their `aws` asks a process that has
imported the CLI: see aws_server.py. Nothing leaves this machine: see aws_without_aws.py. What waits or deploys does
nothing.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]
CLI = REPOSITORY / ".cache/aws-cli/bin/python"
DOCUMENTS = [
    "README.md",
    "docs/deploy.md",
    "docs/on-aws.md",
    "docs/private-hosts.md",
    "docs/reference/checks.md",
    "docs/runbook.md",
]
# Its first block has the functions that the commands of docs/on-aws.md call.
CHECKS = "docs/reference/checks.md"

ENVIRONMENT = {
    "LC_ALL": "C.UTF-8",
    "AWS_ACCESS_KEY_ID": "nobody",
    "AWS_SECRET_ACCESS_KEY": "nothing",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": "/dev/null",
    "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
}

# Only a command that hangs takes this long. They take about a minute, and a busy machine may need ten times as much.
LONGEST_SECONDS = 1800

# ERR is trapped so that a command that fails is named even where the shell would go on.
PREAMBLE = r"""
set -uEo pipefail
trap 'echo "line $LINENO: $BASH_COMMAND" >> "$FAILURES"' ERR
sleep() { :; }
npm() { :; }
npx() { :; }
"""


def shell_blocks(markdown: str) -> list[str]:
    """Returns the commands of a document that have to do with AWS, in their order.

    These are the fenced blocks without a language, and inline code, that call `aws` or a function of such a block.
    """
    pieces = re.findall(r"^```\n(.*?)^```$|(?<!`)`([a-z]+ [^`\n]*)`(?!`)", markdown, re.DOTALL | re.MULTILINE)
    blocks = [block or inline for block, inline in pieces]
    functions = re.findall(r"^(\w+)\(\) \{.*\baws ", "\n".join(blocks), re.MULTILINE)
    calls = re.compile(rf"\b(?:aws [a-z]|(?:{'|'.join(functions) or 'aws'}) )")
    return [block for block, inline in pieces if calls.search(block)] + [
        inline for _, inline in pieces if inline.startswith("aws ")
    ]


def commands_of(document: str) -> str:
    """Returns a document, with the functions in front of it that it calls and has from another one."""
    markdown = (REPOSITORY / document).read_text()
    if document != "docs/on-aws.md":
        return markdown
    functions = shell_blocks((REPOSITORY / CHECKS).read_text())[0].splitlines()
    called = [line for line in functions if re.search(rf"\b{re.split('[(=]', line)[0]}\b", markdown)]
    return "```\n" + "\n".join(called) + f"\n```\n{markdown}"


def calls_in(text: str) -> set[tuple[str, str]]:
    """Returns each service and operation that a text calls."""
    return set(re.findall(r"\baws ([a-z][a-z0-9-]*) ([a-z][a-z0-9-]+)", text))


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The socket of a process that runs commands of the AWS CLI."""
    folder = tmp_path_factory.mktemp("aws")
    command = [CLI, Path(__file__).parent / "aws_server.py", folder / "socket"]
    environment = {**ENVIRONMENT, "HOME": str(folder)}
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as server:
        assert server.stdout.readline() == b"ready\n"
        yield folder / "socket"
        server.terminate()


def run(markdown: str, folder: Path, aws: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Returns every call of the AWS CLI that the document's commands make, and every problem."""
    blocks = shell_blocks(markdown)
    log, failures, program = folder / "calls", folder / "failures", folder / "bin/aws"
    program.parent.mkdir()
    # Without site-packages the interpreter starts in a third of the time, and it starts once per command.
    command = shlex.join(map(str, [CLI, "-IS", Path(__file__).parent / "ask_aws_server.py", aws, log]))
    program.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    program.chmod(0o755)
    # Commands name files of the repository, and write files of their own.
    for name in ("examples", "test"):
        (folder / name).symlink_to(REPOSITORY / name)
    log.touch()
    failures.touch()
    done = subprocess.run(
        ["bash", "-c", PREAMBLE + "\n".join(blocks)],
        cwd=folder,
        env={**ENVIRONMENT, "PATH": f"{program.parent}:/usr/bin:/bin", "FAILURES": str(failures), "HOME": str(folder)},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=LONGEST_SECONDS,
    )
    calls = [json.loads(line) for line in log.read_text().splitlines()]
    made = {(call["arguments"][0], call["arguments"][1]) for call in calls}
    problems = [f"aws {' '.join(call['arguments'])}: {call['problem']}" for call in calls if call["problem"]]
    problems += failures.read_text().splitlines()
    problems += [f"never reached: aws {' '.join(call)}" for call in sorted(calls_in("\n".join(blocks)) - made)]
    problems += [f"bash: exit code {done.returncode}"] if done.returncode else []
    problems += [f"bash: {line}" for line in done.stderr.splitlines() if "syntax error" in line or "unbound" in line]
    return calls, [*problems, done.stderr] if problems else []


def test_the_cli_is_the_pinned_one() -> None:
    pinned = (Path(__file__).parent / "aws-cli-requirements.txt").read_text().split("==")[1].strip()
    version = subprocess.run([CLI, "-m", "awscli", "--version"], capture_output=True, text=True, check=True).stdout
    assert version.startswith(f"aws-cli/{pinned} ")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_aws_cli_accepts_every_command(document: str, tmp_path: Path, aws: Path) -> None:
    markdown = commands_of(document)
    calls, problems = run(markdown, tmp_path, aws)
    assert problems == []
    assert bool(calls) == bool(shell_blocks(markdown))
    if document == CHECKS:
        assert_scripts_for_hosts_parse(calls)


def assert_scripts_for_hosts_parse(calls: list[dict[str, Any]]) -> None:
    sent = [call for call in calls if call["operation"] == "ssm:SendCommand"]
    assert sent
    for call in sent:
        parameters = json.loads(call["arguments"][call["arguments"].index("--parameters") + 1])
        for script in parameters["commands"]:
            checked = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True)
            assert checked.returncode == 0, (script, checked.stderr)


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("aws ec2 describe-instances --filter-by x", "exit code 252|exit code 2"),
        ("aws ec2 describe-machines", "exit code"),
        ("aws ec3 describe-instances", "exit code"),
        ("aws ssm describe-document", "exit code"),
        ("aws ssm describe-document --name x --query Document.State", "exit code"),
        ("aws ec2 describe-instances --query 'Reservations[].Instances[].Id'", "exit code"),
        ("aws ec2 describe-instances --query 'Reservations.Instances'", "exit code"),
        ("aws ec2 describe-instances --query 'Reservations[].Instances[]'.Id", "exit code"),
        ("aws elbv2 describe-listeners --query \"Listeners[?Protocol=='TPC'].ListenerArn\"", "exit code"),
        # Without the outer quotes the shell takes the inner ones away, and JMESPath compares with a field.
        ("aws elbv2 describe-listeners --query Listeners[?Protocol=='TCP'].ListenerArn", "exit code"),
        ("aws ec2 describe-instances --query 'Reservations[", "exit code 2|syntax error|unexpected EOF"),
        ("aws ssm send-command --document-name x --parameters '{commands: [\"a\"]}'", "exit code"),
        ("if false; then aws ssm describe-document --name x; fi", "never reached: aws ssm describe-document"),
        ("false && aws ssm describe-document --name x; false", "line .*: false"),
    ],
)
def test_a_wrong_command_is_caught(command: str, problem: str, tmp_path: Path, aws: Path) -> None:
    _, problems = run(f"```\n{command}\n```\n", tmp_path, aws)
    assert problems
    assert re.search(problem, "\n".join(problems))


def test_right_commands_are_not_caught(tmp_path: Path, aws: Path) -> None:
    commands = "\n".join(
        [
            "aws ec2 describe-instances --query 'Reservations[].Instances[].InstanceId' --output text",
            "aws elbv2 describe-listeners --load-balancer-arn x --query \"Listeners[?Protocol=='TCP'].ListenerArn\"",
        ]
    )
    calls, problems = run(f"```\n{commands}\n```\n", tmp_path, aws)
    assert problems == []
    assert [call["operation"] for call in calls] == ["ec2:DescribeInstances", "elbv2:DescribeListeners"]
