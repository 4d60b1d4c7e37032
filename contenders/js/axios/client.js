import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";

import axios from "axios";

import { serve } from "./kit/serve.js";

await serve(async (url, out) => {
  const response = await axios.get(url, { responseType: "stream" });
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  await pipeline(response.data, createWriteStream(out));
});
