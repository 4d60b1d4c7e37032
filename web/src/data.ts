// The run's data, as velo writes them into the page: schemas/page.schema.json.
import type { JudgedWorkload, PageData, PageWorkload, Protocol } from "./generated/page";

/** A workload as it was judged, with what stands behind its figures. */
export interface Workload {
  judged: JudgedWorkload;
  page: PageWorkload;
}

/** What velo has written into this page; null in the template itself. */
export function read(): PageData | null {
  const text = document.getElementById("velo-data")?.textContent ?? "null";
  return JSON.parse(text) as PageData | null;
}

/** The workloads there is something to say of: a run of tasks alone leaves further loads of a workload empty. */
export function workloads(data: PageData): Workload[] {
  const all = data.judgement.workloads.map((judged, index) => ({ judged, page: data.workloads[index]! }));
  const said = all.filter(({ judged }) => judged.rows.length > 0 || judged.tasks || judged.calls);
  return said.length > 0 ? said : all;
}

/** The language of a contender: the part of its name before the slash. */
export function language(contender: string): string {
  return contender.split("/", 1)[0] ?? contender;
}

/** The place of a contender's card in the page. */
export function anchor(contender: string): string {
  return `contender-${contender.replace(/[^a-z0-9-]/g, "-")}`;
}

/** Whether a contender of a workload is a service of gRPC. */
export function isGrpc({ judged }: Workload, contender: string): boolean {
  const calls = judged.calls?.conditions.flatMap((under) => under.rows) ?? [];
  return [...judged.rows, ...calls].some((row) => row.contender === contender && isGrpcProtocol(row.protocol));
}

/** A contender's name in a row, and that it is a service of gRPC. */
export function rowName(workload: Workload, contender: string): string {
  return isGrpc(workload, contender) ? `${contender} (gRPC)` : contender;
}

function isGrpcProtocol(protocol: Protocol): boolean {
  return protocol === "grpc" || protocol === "grpcs";
}
