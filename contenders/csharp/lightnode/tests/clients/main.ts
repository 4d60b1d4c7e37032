// Calls a server by the generated client; the last argument is the server's address.
import { Client, Colour, Fruits, LightNodeError, MyEnum, Size } from "./client.js";

declare const process: { argv: string[] };

const client = new Client(process.argv[process.argv.length - 1] ?? "");
let checks = 0;

function equal(expected: unknown, actual: unknown): void {
  checks++;
  const [wanted, got] = [JSON.stringify(expected), JSON.stringify(actual)];
  if (wanted !== got) throw new Error(`check ${checks}: expected ${wanted}, got ${got}`);
}

async function refused(call: Promise<unknown>): Promise<[number, string] | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof LightNodeError) return [error.status, error.body];
    throw error;
  }
}

equal({ Name: "hogehoge & ほ", Sum: 60 }, await client.perf.echo({ name: "hogehoge & ほ", x: 10, y: 20, e: MyEnum.A }));
const padded = await client.perf.echo({ name: "x", x: 1, y: 2, e: MyEnum.C, size: 100 });
equal(100, JSON.stringify(padded).length);
equal({ Flags: 9 }, await client.perf.flags({ f: Fruits.Apple | Fruits.Date }));
equal({ Sum: 6 }, await client.perf.array({ a: [1, 2, 3] }));
equal({ Sum: 0 }, await client.perf.array());
equal(undefined, await client.perf.void());
equal([404, ""], await refused(client.perf.status({ code: 404 })));
equal(500, (await refused(client.perf.throw()))?.[0]);
equal(400, (await refused(client.perf.echo({ name: "x", x: 1, y: 2, e: 5 as MyEnum })))?.[0]);
let wins = 0;
for (let i = 0; i < 100; i++) {
  if ((await client.coin.toss({ wager: { bet: i % 2 === 0 } })).win) wins++;
}
equal(true, wins > 0 && wins < 100);

const thing = await client.things.make({ name: "thing", colour: Colour.Green, note: "a+b", size: Size.Small });
equal(["thing", 2, null, "a+b", "Small", "part", 1.5], [
  thing.Name, thing.Colour, thing["how-many"], thing.Note, thing.Size, thing.Parts[0]?.Name, thing.Prices["EUR"],
]);
equal("2014-01-14T01:02:03Z", thing.At);
const renamed = await client.things.rename({ thing: { ...thing, "how-many": 5 }, name: "other" });
equal(["other", 5, "a+b"], [renamed.Name, renamed["how-many"], renamed.Note]);
equal(6, await client.things.union({ fruits: [Fruits.Banana, Fruits.Cherry] }));
equal(
  "True -9223372036854775808 0.1 1.50 2014-01-14T01:02:03.5000000Z 01:02:03 00000000-0000-0000-0000-000000000001 x y",
  await client.things.values({
    flag: true, number: -9223372036854775808n, real: 0.1, amount: "1.50", at: "2014-01-14T01:02:03.5Z", span: "01:02:03",
    id: "00000000-0000-0000-0000-000000000001", letter: "x", class: "y",
  }),
);
equal(12, await client.things.optional());
equal(15, await client.things.optional({ second: 5 }));
equal(["a", "b&c"], await client.things.posted({ texts: ["a", "b&c"] }));
equal(undefined, await client.things.nothing({ id: 1 }));
equal("ほ", await client.things.text({ text: "ほ" }));
equal([0, 1, 2], [...(await client.things.bytes({ n: 3 }))]);
equal({ a: [1, 2] }, await client.things.map());
equal([409, '"conflict"'], await refused(client.things.refuse()));
const cancelled = await client.things.optional({}, AbortSignal.abort()).catch((error: Error) => error.name);
equal("AbortError", cancelled);
console.log(`TypeScript client: ${checks} checks passed`);
