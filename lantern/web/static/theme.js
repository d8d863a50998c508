// Sets the theme before the page is drawn: the system's, or the one that was chosen here.
(() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const apply = () => {
    document.documentElement.dataset.theme = chosen() ?? (system.matches ? "dark" : "light");
    dispatchEvent(new Event("themechange"));
  };
  system.addEventListener("change", apply);
  globalThis.toggleTheme = () => {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    const isSystems = (next === "dark") === system.matches;
    try { isSystems ? localStorage.removeItem("theme") : localStorage.setItem("theme", next); } catch { /* private mode */ }
    document.documentElement.dataset.theme = next;
    dispatchEvent(new Event("themechange"));
  };
  apply();
})();
