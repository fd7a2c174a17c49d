"""A Chromium for the tests: ``python -m tests.browser.chromium`` brings one if there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

SHELL = "chromium-headless-shell"
"""Chromium without the windows that nobody sees: a page costs it less than half the time."""

NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def find() -> str | None:
    """Return the path of an installed Chromium or Chrome, or of Playwright's own."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def bring() -> None:
    """Install one: by apt-get where we may, else Playwright's own if there is none."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        print(f"installing {SHELL} by apt-get …", flush=True)
        apt_get("update")
        apt_get("install", "-y", "--no-install-recommends", SHELL)
    if find() is None:
        print("installing Playwright's Chromium …", flush=True)
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def apt_get(*arguments: str) -> None:
    """Run apt-get, quietly and without patience: most often there is a browser already."""
    brisk = ["-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=10"]
    subprocess.run(
        ["apt-get", "-qq", *brisk, *arguments],
        check=False,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdout=subprocess.DEVNULL,
    )


if __name__ == "__main__":
    if shutil.which(SHELL) is None:
        bring()
    if find() is None:
        sys.exit(f"no browser for the tests: expected one of {', '.join(NAMES)} on the PATH")
