"""Plain defects of MiniStack 1.5.33, each mended in a module of its own that could be sent upstream.

Each module says what MiniStack does, what AWS does and where AWS says so, and has the smallest fix. The rest of the lab
does not import them; it relies on AWS's behaviour. docs/decisions/0002-embedded-aws.md lists them.
"""

import importlib
import pkgutil


def install() -> None:
    """Installs every fix in this folder."""
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name).install()
