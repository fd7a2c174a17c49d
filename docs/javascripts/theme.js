// Two habits of the theme that this site does without. In the head, to be there before the theme.
"use strict";

// The index of the search weighs more than a page. The theme asks for it at once; here the request
// waits until somebody is about to search.
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

// A link to another place of the same page is for the browser to follow. The theme would, the first
// time, fetch the page again and replace all of it: what a reader had opened, answered or stepped to
// would be gone, and the keyboard would begin before the menu.
(() => {
  const address = (place) => place.href.split("#")[0];
  const within = (link) => link.hash && address(link) === address(location);
  const linkOf = ({ target }) => target.closest?.("a[href]");
  let replaced = false; // by the theme, which then knows what it shows, and does not fetch it again

  const onClick = (event) => {
    const link = linkOf(event);
    if (link && within(link)) link.target ||= "_self"; // the theme leaves links with a target alone
  };
  const afterClick = (event) => {
    const link = linkOf(event);
    replaced ||= event.defaultPrevented && link && !within(link);
  };
  const onMove = (event) => {
    if (!replaced) event.stopImmediatePropagation();
  };

  window.addEventListener("click", onClick, { capture: true });
  window.addEventListener("click", afterClick);
  window.addEventListener("popstate", onMove);
})();
