// Buttons that copy a citation. Where no script runs, the text is there to be selected.
"use strict";
(() => {
  if (customElements.get("specdec-copy")) return;

  class Copy extends HTMLElement {
    connectedCallback() {
      if (this.querySelector("button")) return; // moved within a page
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `Copy ${this.dataset.what}`;
      const said = document.createElement("span");
      said.setAttribute("role", "status");
      this.append(button, said);
      button.addEventListener("click", async () => {
        const text = this.querySelector("pre");
        said.textContent = "";
        said.textContent = (await this.#copied(text)) ? "Copied" : "Selected: copy it with Ctrl+C or ⌘C";
      });
    }

    // The clipboard is only there on HTTPS, and where the reader allows it.
    async #copied(text) {
      try {
        await navigator.clipboard.writeText(text.textContent);
        return true;
      } catch {
        getSelection().selectAllChildren(text);
        return document.execCommand("copy");
      }
    }
  }

  customElements.define("specdec-copy", Copy);
})();
