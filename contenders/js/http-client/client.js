import { createWriteStream } from "node:fs";
import http from "node:http";
import { pipeline } from "node:stream/promises";

import { serve } from "./kit/serve.js";

await serve(async (url, out) => {
  const response = await new Promise((resolve, reject) => http.get(url, resolve).on("error", reject));
  if (response.statusCode !== 200) {
    response.resume();
    throw new Error(`status ${response.statusCode}`);
  }
  await pipeline(response, createWriteStream(out));
});
