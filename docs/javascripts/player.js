// The player: shows one frame of a round at a time. It computes nothing; the frames are in the
// page. A classic script in the head, so that it also runs from a folder, and so that
// the page is laid out for it from the first paint.
"use strict";
(() => {
  if (customElements.get("specdec-player")) return;
  document.documentElement.classList.add("scripted");

  // Formulas do not move when their font comes early. A page in a folder may not preload a font.
  if (location.protocol !== "file:" && !("embed" in document.currentScript.dataset)) {
    const font = document.createElement("link");
    Object.assign(font, { rel: "preload", as: "font", type: "font/woff2", crossOrigin: "" });
    font.href = new URL("../fonts/specdec-math.woff2", document.currentScript.src);
    document.head.append(font);
  }

  const STAY = 2600; // milliseconds on a frame while playing
  const reduced = matchMedia("(prefers-reduced-motion: reduce)");

  // Calls element.start(signal) once its children are there, and ends its listeners with it.
  class Started extends HTMLElement {
    #ending;

    connectedCallback() {
      this.#ending = new AbortController();
      const { signal } = this.#ending;
      if (document.readyState !== "loading") this.start(signal);
      else document.addEventListener("DOMContentLoaded", () => this.start(signal), { once: true, signal });
    }

    disconnectedCallback() {
      this.#ending.abort();
      this.stop?.();
    }
  }

  class Player extends Started {
    #frames;
    #at = 0;
    #timer;
    #answered = new Set();

    start(signal) {
      this.#frames = [...this.querySelectorAll(".frame")];
      this.querySelector(".controls").hidden = false;
      for (const type of ["click", "keydown", "input", "change"]) this.addEventListener(type, this, { signal });
      window.addEventListener("hashchange", this, { signal });
      // In the capture phase: instant navigation would take the click and leave no trace of it.
      document.addEventListener("click", this.#followLink, { capture: true, signal });
      document.addEventListener("fullscreenchange", this, { signal });
      this.#show(this.#linked(location.hash) ?? 0);
      this.classList.add("started");
    }

    stop() {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#button("play").setAttribute("aria-label", "Play");
    }

    get playing() {
      return this.#timer !== undefined;
    }

    handleEvent(event) {
      switch (event.type) {
        case "click": {
          const button = event.target.closest("button");
          if (button?.dataset.do) this.#do(button.dataset.do);
          if (button?.dataset.guess) this.#guess(button.dataset.guess);
          break;
        }
        case "input":
          if (event.target.type === "range") this.#step(event.target.valueAsNumber - 1);
          break;
        case "change":
          if (event.target.dataset.do === "predict") this.#show(this.#at);
          break;
        case "keydown":
          this.#key(event);
          break;
        case "fullscreenchange":
          this.#button("present").textContent = document.fullscreenElement === this ? "Leave full screen" : "Full screen";
          break;
        default: {
          const linked = this.#linked(location.hash);
          if (linked !== undefined) this.#show(linked);
        }
      }
    }

    #key(event) {
      if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select")) return;
      const scroller = event.target.closest(".columns");
      if (scroller && scroller.scrollWidth > scroller.clientWidth) return; // the arrows scroll it
      const action = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last", " ": "play" }[event.key];
      if (!action || (event.key === " " && event.target.closest("button, a"))) return;
      event.preventDefault();
      this.#do(action);
    }

    #do(action) {
      const last = this.#frames.length - 1;
      switch (action) {
        case "first":
          return this.#step(0);
        case "previous":
          return this.#step(Math.max(this.#at - 1, 0));
        case "next":
          return this.#step(Math.min(this.#at + 1, last));
        case "last":
          return this.#step(last);
        case "play":
          return this.playing ? this.stop() : this.#play();
        case "copy":
          return this.#copy();
        case "present":
          return document.fullscreenElement ? document.exitFullscreen() : this.requestFullscreen();
      }
    }

    #play() {
      const last = this.#frames.length - 1;
      if (this.#at === last) this.#to(0);
      this.#button("play").setAttribute("aria-label", "Pause");
      this.#timer = setInterval(() => {
        if (this.#asking) return;
        this.#to(this.#at + 1);
        if (this.#at === last) this.stop();
      }, STAY);
    }

    // A step by hand ends playing.
    #step(index) {
      this.stop();
      this.#to(index);
    }

    #to(index) {
      this.#show(index);
      history.replaceState(history.state, "", `#${this.#frames[index].id}`);
    }

    #show(index) {
      const moved = index !== this.#at;
      this.#at = index;
      const frame = this.#frames[index];
      this.#frames.forEach((each, place) => each.toggleAttribute("data-current", place === index));
      this.querySelectorAll(".tick").forEach((tick, place) => {
        tick.classList.toggle("tick-past", place < index);
        tick.classList.toggle("tick-now", place === index);
      });
      const asking = this.#asking;
      this.classList.toggle("predicting", this.#predicting);
      this.classList.toggle("asking", asking);
      this.querySelector(".ask").hidden = !this.#predicting;
      this.querySelector(".ask").classList.toggle("ask-waits", !frame.dataset.verdict); // it keeps its room
      const question = `${this.#text(frame, ".frame-title")}: kept or rejected?`;
      this.querySelector(".ask-question").textContent = question;
      this.querySelectorAll("[data-guess]").forEach((button) => (button.disabled = !asking));
      if (moved) this.querySelector(".ask-answer").value = "";
      for (const action of ["first", "previous"]) this.#button(action).setAttribute("aria-disabled", index === 0);
      for (const action of ["next", "last"]) this.#button(action).setAttribute("aria-disabled", index === this.#frames.length - 1);
      const place = this.#text(frame, ".frame-count");
      const range = this.querySelector("[type=range]");
      range.value = index + 1;
      range.setAttribute("aria-valuetext", `${place}: ${this.#text(frame, ".frame-title")}`);
      const said = asking ? question : this.#text(frame, ".frame-caption");
      if (moved) this.querySelector("[role=status]").textContent = `${place}: ${said}`;
      this.querySelector(".copied").value = "";
      requestAnimationFrame(() => this.#reveal(frame)); // once laid out, and before it is painted
    }

    // Brings the position that the frame is about into view, and lets the leftover grow to 1.
    #reveal(frame) {
      const current = frame.querySelector(".position-current");
      const scroller = frame.querySelector(".columns");
      if (current) scroller.scrollLeft = current.offsetLeft - (scroller.clientWidth - current.offsetWidth) / 2;
      const shares = frame.querySelector(".shares");
      if (shares && !reduced.matches) {
        shares.animate([{ transform: `scaleX(${shares.dataset.mass})` }, { transform: "none" }], { duration: 700, easing: "ease-out" });
      }
    }

    get #predicting() {
      return this.querySelector("[data-do=predict]").checked;
    }

    get #asking() {
      return this.#predicting && !!this.#frames[this.#at].dataset.verdict && !this.#answered.has(this.#at);
    }

    #guess(guess) {
      const { verdict } = this.#frames[this.#at].dataset;
      this.#answered.add(this.#at);
      this.#show(this.#at);
      const answer = `${guess === verdict ? "Right" : "No"}: ${verdict === "accepted" ? "kept" : "rejected"}.`;
      this.querySelector(".ask-answer").value = answer;
      this.querySelector("[role=status]").textContent = `${answer} ${this.#text(this.#frames[this.#at], ".frame-caption")}`;
    }

    async #copy() {
      const address = new URL(`#${this.#frames[this.#at].id}`, location.href).href;
      const said = this.querySelector(".copied");
      try {
        await navigator.clipboard.writeText(address);
        said.value = "Link copied";
      } catch {
        said.value = address; // to be copied by hand
        getSelection().selectAllChildren(said);
      }
    }

    #followLink = (event) => {
      const link = event.target.closest?.("a[href*='#']");
      if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const index = link.pathname === location.pathname ? this.#linked(link.hash) : undefined;
      if (index === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.stop();
      history.pushState(history.state, "", link.hash);
      this.dispatchEvent(new CustomEvent("specdec-linked", { bubbles: true }));
      this.#show(index);
      if (!this.contains(link)) this.scrollIntoView({ block: "start", behavior: reduced.matches ? "auto" : "smooth" });
    };

    // The frame that a fragment names, if it is one of ours.
    #linked(hash) {
      const index = this.#frames.findIndex((frame) => `#${frame.id}` === hash);
      return index < 0 ? undefined : index;
    }

    #button(action) {
      return this.querySelector(`button[data-do=${action}]`);
    }

    #text(frame, selector) {
      return frame.querySelector(selector).textContent.trim().replace(/\s+/g, " ");
    }
  }

  // Shows one of several players; all are in the page.
  class Switch extends Started {
    start(signal) {
      this.querySelector(".switch")?.removeAttribute("hidden");
      this.addEventListener("click", (event) => {
        const { player } = event.target.closest(".switch button")?.dataset ?? {};
        if (player) this.#choose(player);
      }, { signal });
      this.addEventListener("specdec-linked", (event) => this.#choose(event.target.dataset.profile), { signal });
      const linked = () => {
        const player = document.getElementById(location.hash.slice(1))?.closest("specdec-player");
        if (this.contains(player)) this.#choose(player.dataset.profile);
      };
      window.addEventListener("hashchange", linked, { signal });
      this.#choose(this.querySelector("specdec-player").dataset.profile);
      linked();
    }

    #choose(profile) {
      for (const player of this.querySelectorAll("specdec-player")) {
        const chosen = player.dataset.profile === profile;
        player.toggleAttribute("data-chosen", chosen);
        if (!chosen && player.playing) player.stop();
      }
      for (const button of this.querySelectorAll(".switch button")) {
        button.setAttribute("aria-pressed", button.dataset.player === profile);
      }
    }
  }

  customElements.define("specdec-player", Player);
  customElements.define("specdec-switch", Switch);
})();
