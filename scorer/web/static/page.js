// What every page does: talk to the server, tell the user, and be installable.

const csrf = document.querySelector('meta[name="csrf"]').content;

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

const SHOWN_MS = 6000;
let shown = 0;
export function say(text) {
  clearTimeout(shown);
  $("#say").textContent = text;
  // It must not lie on a button for ever.
  if (text) shown = setTimeout(() => say(""), SHOWN_MS);
}

export function words() {
  return JSON.parse($("#words").textContent);
}

export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);

// Sends a change and gives back what the server answers; tells the user when it refuses.
export async function post(path, data) {
  let answer;
  try {
    answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRF": csrf },
      body: JSON.stringify(data),
    });
  } catch {
    say(words().failed);
    throw new Error("offline");
  }
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    say(told.message || words().failed);
    throw new Error(told.message);
  }
  say("");
  return told;
}

// Sends a photo; `tell(stage, values)` hears how far it is. Resolves with the last thing the server says.
export function send(path, file, tell) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let heard = 0;
    let last = { stage: "failed" };
    const listen = () => {
      const end = request.responseText.lastIndexOf("\n") + 1;
      for (const line of request.responseText.slice(heard, end).split("\n").filter(Boolean)) {
        last = JSON.parse(line);
        tell(last.stage, last);
      }
      heard = Math.max(heard, end);
    };
    request.open("PUT", path);
    request.setRequestHeader("X-CSRF", csrf);
    request.upload.onprogress = (event) =>
      tell("sending", { percent: Math.round((100 * event.loaded) / Math.max(1, event.total)) });
    request.onprogress = () => request.status === 200 && listen();
    request.onerror = () => reject(new Error(words().failed));
    request.onload = () => {
      if (request.status === 200) {
        listen();
        if (last.stage === "failed") reject(new Error(last.message || words().failed));
        else resolve(last);
        return;
      }
      let message;
      try {
        message = JSON.parse(request.responseText).message;
      } catch {
        message = request.responseText;
      }
      reject(new Error(message || words().failed));
    };
    request.send(file);
  });
}

// Texts as the items of a list.
export function listed(texts) {
  return texts.map((text) => {
    const line = document.createElement("li");
    line.textContent = text;
    return line;
  });
}

// A JPEG that came as letters: as a file, and under an address to show it by.
export function picture(letters) {
  const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
  const blob = new Blob([bytes], { type: "image/jpeg" });
  return { blob, url: URL.createObjectURL(blob) };
}

// Sends a chosen file as it is, and tells in `told` how far it is and what came of it.
export function sendChosen(input, path, told, done) {
  input?.addEventListener("change", async () => {
    const [file] = input.files;
    input.value = "";
    if (!file) return;
    try {
      done(
        await send(path, file, (stage, values) => {
          if (stage === "sending") told.textContent = `${values.percent} %`;
        }),
      );
    } catch (error) {
      told.textContent = error.message;
    }
  });
}

// Every way to give a photo on this page; `done(answer)` when it was read.
export function photos(done) {
  const limit = Number(words().most_bytes);
  for (const zone of $$("[data-upload]")) {
    const take = (file) => file && give(zone.dataset.upload, file, limit, done);
    for (const input of $$("[data-photo]", zone)) {
      input.addEventListener("change", () => {
        take(input.files[0]);
        input.value = "";
      });
    }
    const area = zone.closest(".card") ?? zone;
    area.addEventListener("dragover", (event) => {
      event.preventDefault();
      area.classList.add("over");
    });
    area.addEventListener("dragleave", () => area.classList.remove("over"));
    area.addEventListener("drop", (event) => {
      event.preventDefault();
      area.classList.remove("over");
      take(event.dataTransfer.files[0]);
    });
  }
}

async function give(path, file, limit, done) {
  const told = words();
  const box = $("#progress");
  const text = $("#progress-text");
  const bar = $("progress", box);
  if (file.size > limit) {
    say(told.too_large);
    return;
  }
  box.hidden = false;
  $("#frame")?.removeAttribute("hidden");
  document.body.classList.add("busy");
  try {
    const answer = await send(path, file, (stage, values) => {
      if (!(stage in told)) return;
      text.textContent = fill(told[stage], values);
      if (stage === "sending") bar.value = values.percent;
      else bar.removeAttribute("value");
    });
    say(answer.left_over ? fill(told.left_over, { count: answer.left_over }) : answer.told || told.read);
    await done(answer);
  } catch (error) {
    say(error.message);
    if (document.body.classList.contains("kingdom") && !$("#start").hidden) $("#frame").hidden = true;
  } finally {
    box.hidden = true;
    document.body.classList.remove("busy");
  }
}

if ("serviceWorker" in navigator && window.isSecureContext) {
  navigator.serviceWorker.register("/worker.js").catch(() => {});
}
