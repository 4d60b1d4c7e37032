// What contenders do with input that the workload leaves to them.
import type { Workload } from "../data";

export function Strictness({ workload, isShown }: { workload: Workload; isShown: (contender: string) => boolean }) {
  const cases = workload.judged.strictness;
  if (cases.length === 0) return null;
  const names = [...new Set(cases.flatMap((one) => one.answers.map((answer) => answer.contender)))].filter(isShown).sort();
  return (
    <details>
      <summary>Behaviour on unspecified input</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Strictness">
        <table>
          <thead>
            <tr>
              <th scope="col">contender</th>
              {cases.map((one) => (
                <th scope="col" key={one.case}>
                  {one.case}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {cases.map((one) => (
                  <td key={one.case}>{one.answers.find((answer) => answer.contender === name)?.got.slice(0, 3) ?? "\u2013"}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
