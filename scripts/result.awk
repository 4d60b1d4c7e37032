# What a document in docs/results keeps of a report in Markdown: the run, and of each workload the answer, what is doubtful and the claims, and the
# validity. Headings go down by one, since the document has one above them.
/^# / { next }
/^#/ { part = /^## Validity/ ? "validity" : /^## [^ ]+: / ? "answer" : "other" }
/^## / && part != "other" { print "#" $0; next }
# Behind the answer come tables and hints; the lag of sending concerns response times, which are in tables.
part == "answer" && /^(\||- )/ { part = "other" }
/^\| claim / { is_kept = 1 }
is_kept && !/^[|-]/ { is_kept = 0; print "" }
/^- (warning|error): / && !/ send lag / { if (part == "other") is_kept = 1; print; next }
/^- / && part == "other" { next }
part != "other" || is_kept
