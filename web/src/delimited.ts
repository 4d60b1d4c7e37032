// Tables as text that spreadsheets read.

export type Field = string | number | null | undefined;

/** Lines of fields; a field that holds a separator, a quote or a line's end stands in quotes. */
export function delimited(lines: Field[][], separator: string): string {
  return lines.map((line) => line.map(written).join(separator)).join("\n");
}

function written(value: Field): string {
  // A text that begins like a formula would be one to a spreadsheet.
  const text = typeof value === "string" ? value.replace(/^[=+\-@\t\r]/, "'$&") : `${value ?? ""}`;
  return /["\n\r,\t]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
