# System.Web copies the assemblies of a site to the folder for temporary files, and compiles Global.asax there.
export TMPDIR="$WORK_DIR" MONO_DISABLE_SHARED_AREA=1
exec mono --server "target/$1/bin/host.exe" "target/$1"
