// The index of the search weighs more than a page. The theme asks for it at once; here the request
// waits until somebody is about to search. In the head, since the theme asks early.
"use strict";
(() => {
  const { open, send } = XMLHttpRequest.prototype;
  const indexes = new WeakSet();
  const waiting = [];
  let wanted = /[?&]q=/.test(location.search); // a link to results

  XMLHttpRequest.prototype.open = function (method, url, ...rest) {
    indexes[String(url).endsWith("search/search_index.json") ? "add" : "delete"](this);
    return open.call(this, method, url, ...rest);
  };

  XMLHttpRequest.prototype.send = function (...body) {
    const now = () => send.apply(this, body);
    if (wanted || !indexes.has(this)) now();
    else waiting.push(now);
  };

  const want = ({ target }) => {
    if (wanted || !target.closest?.("[data-md-component=search], [for=__search]")) return;
    wanted = true;
    for (const now of waiting) now();
  };
  for (const sign of ["focusin", "pointerover", "touchstart"]) {
    document.addEventListener(sign, want, { capture: true, passive: true });
  }
})();
