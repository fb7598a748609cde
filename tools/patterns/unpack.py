"""Unpacks the Python sources of a wheel, and the printable texts of the libraries of PyTorch.

python3 unpack.py WHEEL FOLDER
"""

import pathlib
import re
import sys
import zipfile

wheel, folder = sys.argv[1], pathlib.Path(sys.argv[2])
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        if name.endswith(".py"):
            archive.extract(name, folder)
        elif re.search(r"/lib(torch_\w+|c10_cuda)\.so$", name):
            with archive.open(name) as library, open(folder / f"{pathlib.Path(name).name}.txt", "wb") as texts:
                while part := library.read(1 << 24):
                    runs = re.findall(rb"[\x20-\x7e]{20,1000}", part)
                    texts.write(b"".join(run + b"\n" for run in runs if b" " in run))
