"""Plain defects of MiniStack 1.5.33, each with the smallest fix. README.md says what MiniStack does, what AWS does and
where AWS says so, and how to see the defect.

The rest of the lab relies on AWS's behaviour.
"""

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
