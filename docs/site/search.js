// The search of the site: titles, headings and declarations first, then the words of pages. Nothing leaves the page.
(() => {
  const field = document.getElementById("words");
  const found = document.getElementById("found");
  const menu = document.getElementById("menu");
  const countMax = 30;

  // On wide screens the list of all pages is always open.
  const wide = matchMedia("(min-width: 62rem)");
  const show = () => { menu.open = wide.matches; };
  wide.addEventListener("change", show);
  show();

  /** How well an entry fits the words; 0 if it does not. */
  function score([title, , text], words) {
    const name = title.toLowerCase();
    let sum = 0;
    for (const word of words) {
      if (name.startsWith(word)) sum += 8;
      else if (name.split(/[^\w]+/).some((part) => part.startsWith(word))) sum += 5;
      else if (name.includes(word)) sum += 3;
      else if ((` ${text}`).includes(` ${word}`)) sum += 1;
      else return 0;
    }
    return sum + 2 / (1 + name.length / 20);
  }

  function search() {
    const words = field.value.toLowerCase().split(/\s+/).filter((word) => word.length > 1);
    found.replaceChildren();
    if (words.length === 0) return;
    const hits = (window.searchIndex ?? []).map((entry) => [score(entry, words), entry]).filter(([points]) => points > 0)
      .sort(([left], [right]) => right - left).slice(0, countMax);
    for (const [, [title, address]] of hits) {
      const link = document.createElement("a");
      link.href = address;
      link.textContent = title;
      found.append(link);
    }
    if (hits.length === 0) {
      const nothing = document.createElement("p");
      nothing.textContent = "Nothing has these words.";
      found.append(nothing);
    }
  }

  field.addEventListener("input", search);
  document.getElementById("search").addEventListener("submit", (event) => {
    event.preventDefault();
    found.querySelector("a")?.click();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { field.value = ""; search(); }
    if (event.key === "/" && document.activeElement !== field) { event.preventDefault(); field.focus(); }
  });
  found.addEventListener("click", () => { field.value = ""; search(); });
})();
