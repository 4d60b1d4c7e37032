"""Makes a .NET runtime, laid out as an installer does it, of a program that was published with its runtime inside.

usage: runtime.py PROGRAM.deps.json DOTNET FOLDER
"""

import json
import os
import shutil
import sys

PACK = "runtimepack."


def frameworks(target):
    """Each framework that the program brought: its name, its version, its files by kind."""
    for library, files in target.items():
        if library.startswith(PACK):
            name, version = library[len(PACK) :].split("/")
            yield name.split(".Runtime.")[0], version, {kind: files[kind] for kind in ("runtime", "native") if kind in files}


def write(path, content):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=2)


def lay_out(program, platform, name, version, files, root):
    """Moves a framework's files to where the host looks for them, with the two descriptions that it reads there."""
    folder = os.path.join(root, "shared", name, version)
    os.makedirs(folder)
    for kind in files.values():
        for file in kind:
            shutil.move(os.path.join(program, file), folder)
    library = f"{name}.Runtime/{version}"
    write(
        os.path.join(folder, f"{name}.deps.json"),
        {
            "runtimeTarget": {"name": platform, "signature": ""},
            "compilationOptions": {},
            "targets": {platform: {library: files}},
            "libraries": {library: {"type": "package", "serviceable": False, "sha512": ""}},
        },
    )
    if name != "Microsoft.NETCore.App":
        base = {"name": "Microsoft.NETCore.App", "version": version}
        moniker = "net" + ".".join(version.split(".")[:2])
        write(
            os.path.join(folder, f"{name}.runtimeconfig.json"),
            {"runtimeOptions": {"tfm": moniker, "framework": base}},
        )
    return folder


def main(description, dotnet, root):
    program = os.path.dirname(description)
    with open(description, encoding="utf-8") as file:
        content = json.load(file)
    platform = content["runtimeTarget"]["name"]
    found = list(frameworks(content["targets"][platform]))
    names = sorted(name for name, _, _ in found)
    if names != ["Microsoft.AspNetCore.App", "Microsoft.NETCore.App"]:
        sys.exit(f"{description}: expected a program with .NET and ASP.NET Core inside, found {names}")
    for name, version, files in found:
        folder = lay_out(program, platform, name, version, files, root)
        if name == "Microsoft.NETCore.App":
            resolver = os.path.join(root, "host", "fxr", version)
            os.makedirs(resolver)
            shutil.copy(os.path.join(folder, "libhostfxr.so"), resolver)
    muxer = os.path.join(root, "dotnet")
    shutil.move(dotnet, muxer)
    os.chmod(muxer, 0o755)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
