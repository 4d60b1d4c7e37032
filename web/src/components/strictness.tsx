// What contenders do with input that the workload leaves to them.
import type { Workload } from "../data";

type Answer = Workload["judged"]["strictness"][number]["answers"][number];

export function Strictness({ workload, isShown }: { workload: Workload; isShown: (contender: string) => boolean }) {
  const cases = workload.judged.strictness;
  if (cases.length === 0) return null;
  const names = [...new Set(cases.flatMap((one) => one.answers.map((answer) => answer.contender)))].filter(isShown).sort();
  const isOfClients = cases.some((one) => one.answers.some((answer) => answer.outcome));
  return (
    <details>
      <summary>{isOfClients ? "When the server misbehaves" : "Behaviour on unspecified input"}</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Strictness">
        <table>
          <thead>
            <tr>
              <th scope="col">input</th>
              <th scope="col">expected</th>
              {names.map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {cases.map((one) => (
              <tr key={one.case}>
                <th scope="row" title={one.request ?? undefined}>
                  {one.case}
                </th>
                <td>{one.expected ?? "\u2013"}</td>
                {names.map((name) => {
                  const answer = one.answers.find((answer) => answer.contender === name);
                  return (
                    <td key={name} title={answer?.got}>
                      {answer ? short(answer) : "\u2013"}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** An answer in a few letters, as in the report's Markdown. */
function short(answer: Answer): string {
  const longest = 30;
  if (answer.outcome) return answer.outcome;
  if (answer.status === null) return "no answer";
  if (!answer.is_offered) return "not offered";
  const text = [answer.status, answer.shown, answer.leaks ? "leaks" : null].filter((part) => part !== null).join(" ");
  return text.length > longest ? `${text.slice(0, longest - 3)}...` : text;
}
