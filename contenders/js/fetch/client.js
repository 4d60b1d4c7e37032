import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { serve } from "./kit/serve.js";

await serve(async (url, out) => {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  await pipeline(Readable.fromWeb(response.body), createWriteStream(out));
});
