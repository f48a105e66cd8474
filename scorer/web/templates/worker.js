// Without the server: our own files as they were last seen, and a page that says so.
const CACHE = "scorer-{{ version }}";
const FILES = ["/offline", "/static/style.css", "/static/icon.svg", "/static/page.js"];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches.keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const request = event.request;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(() => caches.match("/offline")));
  } else if (new URL(request.url).pathname.startsWith("/static/")) {
    event.respondWith(
      fetch(request)
        .then((answer) => {
          const copy = answer.clone();
          if (answer.ok) caches.open(CACHE).then((cache) => cache.put(request, copy));
          return answer;
        })
        .catch(() => caches.match(request, { ignoreSearch: true })),
    );
  }
});
