"""Imports the AWS CLI once, and runs each command that it is asked for in a fork of itself.

Runs in the environment of the AWS CLI: python aws_server.py SOCKET. It prints `ready` once it can be asked. A command
has the asking process's standard streams, environment and folder, so that redirections and pipes do what they always
do; commands of one pipe run at once. ask_aws_server.py asks.
"""

import contextlib
import functools
import gc
import json
import os
import selectors
import socket
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn

import aws_without_aws
import awscli.clidriver
import botocore.exceptions
import botocore.session

LARGEST_COMMAND_BYTES = 2**18

# A driver imports most of the CLI's modules, and a client reads the models of its service. The loader keeps what it has
# read, so every later session has it too.
session = awscli.clidriver.create_clidriver().session
session.get_available_services()
loader = session.get_component("data_loader")
botocore.session.create_loader = lambda *_: loader


@functools.cache
def read_models(service: str) -> None:
    """Reads what commands of a service need, if it is one that botocore knows; the CLI says what it does not know."""
    for read in (session.create_client, session.get_paginator_model, session.get_waiter_model):
        with contextlib.suppress(botocore.exceptions.DataNotFoundError):
            read(service)


def run(command: dict[str, Any], streams: list[int]) -> NoReturn:
    """Runs the command in this process and ends it at once: to free the models would copy them first."""
    for standard, stream in enumerate(streams):
        os.dup2(stream, standard)
    os.chdir(command["folder"])
    os.environ.clear()
    os.environ.update(command["environment"])
    status = 1
    try:
        status = aws_without_aws.run(Path(command["log"]), command["arguments"])
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def serve(path: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening, selectors.DefaultSelector() as selector:
        listening.bind(path)
        listening.listen()
        selector.register(listening, selectors.EVENT_READ)
        print("ready", flush=True)
        while True:
            for key, _ in selector.select():
                if key.fileobj is listening:
                    asking, _ = listening.accept()
                    request, streams, _, _ = socket.recv_fds(asking, LARGEST_COMMAND_BYTES, 3)
                    command = json.loads(request)
                    for service in command["arguments"][:1]:
                        read_models(service)
                    # Otherwise each fork would look through, and so copy, all that the models are.
                    gc.freeze()
                    child = os.fork()
                    if child == 0:
                        run(command, streams)
                    for stream in streams:
                        os.close(stream)
                    selector.register(os.pidfd_open(child), selectors.EVENT_READ, (child, asking))
                else:
                    selector.unregister(key.fileobj)
                    os.close(key.fileobj)
                    child, asking = key.data
                    _, status = os.waitpid(child, 0)
                    asking.send(str(os.waitstatus_to_exitcode(status)).encode())
                    asking.close()


if __name__ == "__main__":
    serve(sys.argv[1])
