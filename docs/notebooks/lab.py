"""JupyterLab opens the lessons as notebooks: ``jupyter lab --config docs/notebooks/lab.py``."""

import json
import tempfile
from pathlib import Path

c = get_config()  # noqa: F821 - Jupyter defines it in files of settings
c.ServerApp.root_dir = str(Path(__file__).parents[2])
c.LabApp.default_url = "/lab/tree/docs/notebooks/one_puzzle.md"

# A double click would show their text; only the defaults are changed, and no one's own settings.
settings = Path(tempfile.mkdtemp())
overrides = {
    "@jupyterlab/docmanager-extension:plugin": {"defaultViewers": {"markdown": "Jupytext Notebook"}},
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
}
(settings / "overrides.json").write_text(json.dumps(overrides))
c.LabApp.app_settings_dir = str(settings)
