// A click on a heading of a table of the class "sortable" sorts its rows by that column; another click turns the order.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const sort = () => {
        const turned = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", turned ? "descending" : "ascending");
        const text = (row) => row.cells[column].textContent;
        const rows = [...body.rows].sort((a, b) => text(a).localeCompare(text(b), "en", { numeric: false }));
        if (rows.every((row) => text(row) !== "" && !Number.isNaN(Number(text(row))))) {
          rows.sort((a, b) => Number(text(a)) - Number(text(b)));
        }
        body.append(...(turned ? rows.reverse() : rows));
      };
      head.tabIndex = 0;
      head.addEventListener("click", sort);
      head.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
    });
  }
});
