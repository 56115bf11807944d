"""Fixes of defects of MiniStack 1.5.33. README.md says of each what MiniStack does, what AWS does (with the source),
and how to reproduce the defect.
"""

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
