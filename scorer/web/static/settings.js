// Files that are taken in: backups and profiles.
import { $, fill, sendChosen } from "./page.js";

sendChosen($("#restore"), "/api/restore", $("#restored"), ({ count }) => {
  $("#restored").textContent = fill($("#restore").dataset.restored, { count });
});
sendChosen($("#import"), "/api/teach/profile", $("#imported"), () => location.reload());
