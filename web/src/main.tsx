import { render } from "preact";

import { App } from "./app";
import { read } from "./data";
import "./style.css";

const root = document.getElementById("app");
if (root) {
  const data = read();
  render(
    data ? <App data={data} /> : <p class="empty">This page holds no run: velo report makes one that does.</p>,
    root,
  );
}
