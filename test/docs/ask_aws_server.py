"""Stands in for the program `aws` in a shell: aws_server.py runs the command, with this process's standard streams.

Called as python ask_aws_server.py SOCKET LOG [ARGUMENT...]. It exits as the command does.
"""

import json
import os
import socket
import sys

path, log, *arguments = sys.argv[1:]
command = {"arguments": arguments, "log": log, "folder": os.getcwd(), "environment": dict(os.environ)}
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
    server.connect(path)
    socket.send_fds(server, [json.dumps(command).encode()], [0, 1, 2])
    sys.exit(int(server.recv(16)))
