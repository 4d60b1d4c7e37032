import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// The same sources must give the same bytes, so that the checked-in page can be compared with a fresh build.
export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: {
    outDir: "dist",
    target: "es2022",
    modulePreload: false,
    reportCompressedSize: false,
  },
});
