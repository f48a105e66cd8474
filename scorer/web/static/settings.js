// Restoring a backup: one file, sent as it is.
import { $, send, fill } from "./page.js";

$("#restore").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  event.target.value = "";
  if (!file) return;
  const told = $("#restored");
  try {
    const answer = await send("/api/restore", file, (stage, values) => {
      if (stage === "sending") told.textContent = `${values.percent} %`;
    });
    told.textContent = fill(event.target.dataset.restored, { count: answer.count });
  } catch (error) {
    told.textContent = error.message;
  }
});
