// A kingdom as a picture: over its photo, or drawn. One square is one cell of a grid that keys and readers can walk.

const SVG = "http://www.w3.org/2000/svg";
const UNIT = 100;
export const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export function element(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value != null) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const picture = (id, x, y, size) => element("use", { href: `#${id}`, x, y, width: size, height: size });

// The projective map from (column, row) to the photo that takes the grid's corners to `corners`.
export function gridToPhoto(corners, rows, columns) {
  const [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = corners;
  const sx = x0 - x1 + x2 - x3, sy = y0 - y1 + y2 - y3;
  const dx1 = x1 - x2, dy1 = y1 - y2, dx2 = x3 - x2, dy2 = y3 - y2;
  const area = dx1 * dy2 - dx2 * dy1 || 1e-9;
  const g = (sx * dy2 - dx2 * sy) / area, h = (dx1 * sy - sx * dy1) / area;
  const a = x1 - x0 + g * x1, b = x3 - x0 + h * x3, d = y1 - y0 + g * y1, e = y3 - y0 + h * y3;
  return (column, row) => {
    const u = column / columns, v = row / rows, w = g * u + h * v + 1 || 1e-9;
    return [(a * u + b * v + x0) / w, (d * u + e * v + y0) / w];
  };
}

// A turn about the first corner after which the grid's upper edge, or the one nearest to it, lies level.
function upright([[x, y], [x1, y1]]) {
  const angle = Math.atan2(y1 - y, x1 - x);
  const turn = Math.round(angle / (Math.PI / 2)) * (Math.PI / 2) - angle;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  return {
    point: ([a, b]) => [x + (a - x) * cos - (b - y) * sin, y + (a - x) * sin + (b - y) * cos],
    transform: `rotate(${(turn * 180) / Math.PI} ${x} ${y})`,
  };
}

export class Board {
  // `select(place)` is called when somebody chooses a square.
  constructor(svg, select = null) {
    this.svg = svg;
    this.select = select;
    this.at = [0, 0];
    this.lit = null;
    this.selected = null;
    this.drawn = false;
    if (select) {
      svg.addEventListener("keydown", (event) => this.walk(event));
      svg.addEventListener("click", (event) => {
        const cell = event.target.closest("[data-at]");
        if (cell) this.choose(JSON.parse(cell.dataset.at));
      });
    }
  }

  choose(place) {
    this.at = place;
    this.select(place);
  }

  walk(event) {
    const step = STEPS[event.key];
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.choose(this.at);
    } else if (step) {
      event.preventDefault();
      const [row, column] = [this.at[0] + step[0], this.at[1] + step[1]];
      if (row < 0 || column < 0 || row >= this.view.rows || column >= this.view.columns) return;
      this.at = [row, column];
      this.focus();
    }
  }

  focus() {
    for (const cell of this.svg.querySelectorAll("[data-at]")) {
      const here = cell.dataset.at === JSON.stringify(this.at);
      cell.setAttribute("tabindex", here ? 0 : -1);
      if (here) cell.focus();
    }
  }

  get photo() {
    return this.view.photo && this.view.corners.length === 4 && !this.drawn ? this.view.photo : null;
  }

  show(view = this.view) {
    const focused = this.svg.contains(document.activeElement);
    this.view = view;
    if (this.select) this.svg.setAttribute("role", "grid");
    this.at = [Math.min(this.at[0], view.rows - 1), Math.min(this.at[1], view.columns - 1)];
    const [wide, high] = [view.columns * UNIT, view.rows * UNIT];
    const turned = this.photo && upright(view.corners);
    const corners = turned ? view.corners.map(turned.point) : [[0, 0], [wide, 0], [wide, high], [0, high]];
    this.project = gridToPhoto(corners, view.rows, view.columns);
    this.unit = this.photo ? this.side() : UNIT;
    // The photo stays in place: decoding it again with every tap would be slow.
    const [kept] = this.svg.getElementsByTagName("image");
    for (const child of [...this.svg.children]) if (child !== kept) child.remove();
    this.svg.setAttribute("viewBox", this.frame(corners, this.photo ? 0.45 : 0.12));
    this.svg.classList.toggle("on-photo", Boolean(this.photo));
    if (this.photo) {
      const { src, width, height } = this.photo;
      const image = kept?.getAttribute("href") === src ? kept : element("image", { href: src, width, height });
      image.setAttribute("transform", turned.transform);
      if (image !== kept) this.svg.replaceChildren(image);
    } else kept?.remove();
    this.cells();
    this.outlines();
    if (focused) this.focus();
  }

  side() {
    const { rows, columns } = this.view;
    const [a, b, d] = [this.project(0, 0), this.project(columns, 0), this.project(0, rows)];
    const across = Math.hypot(b[0] - a[0], b[1] - a[1]) / columns, down = Math.hypot(d[0] - a[0], d[1] - a[1]) / rows;
    return Math.min(across, down);
  }

  // A square part of the picture around the corners, `margin` squares wide.
  frame(corners, margin) {
    const xs = corners.map(([x]) => x), ys = corners.map(([, y]) => y);
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const size = Math.max(right - left, bottom - top) + 2 * margin * this.unit;
    return [(left + right - size) / 2, (top + bottom - size) / 2, size, size].map((n) => n.toFixed(1)).join(" ");
  }

  quad(row, column, inset = 0) {
    const [a, b] = [inset, 1 - inset];
    return [[a, a], [b, a], [b, b], [a, b]].map(([x, y]) => this.project(column + x, row + y));
  }

  cells() {
    const doubtful = new Set(this.view.doubts.filter((d) => d.square).map((d) => String(d.square)));
    const wrong = new Set(this.view.problems.filter((p) => p.square).map((p) => String(p.square)));
    this.view.squares.forEach((squares, row) => {
      const line = element("g", { role: this.select ? "row" : null });
      squares.forEach((square, column) => {
        const place = [row, column];
        const cell = element("g", {
          class: `cell ${square.art}`,
          role: this.select ? "gridcell" : null,
          tabindex: this.select ? (String(place) === String(this.at) ? 0 : -1) : null,
          "aria-label": this.select ? square.label : null,
          "aria-selected": this.select ? String(String(place) === String(this.selected)) : null,
          "data-at": JSON.stringify(place),
        });
        this.fillCell(cell, square, row, column);
        if (this.lit && square.art !== "empty" && !this.lit.has(String(place))) cell.append(this.polygon(row, column, 0, "dimmed"));
        if (doubtful.has(String(place))) this.mark(cell, row, column, "?", "doubtful");
        if (wrong.has(String(place))) this.mark(cell, row, column, "!", "wrong");
        line.append(cell);
      });
      this.svg.append(line);
    });
  }

  polygon(row, column, inset, kind) {
    return element("polygon", { points: this.quad(row, column, inset).join(" "), class: kind });
  }

  fillCell(cell, square, row, column) {
    const u = this.unit;
    const [x, y] = this.project(column + 0.5, row + 0.5);
    cell.append(this.polygon(row, column, 0, "ground"));
    if (this.photo) {
      if (square.art === "empty") return;
      // What was read, small, so that the photo stays to be seen beneath it.
      const [bx, by] = this.project(column + 0.5, row + 0.74);
      const crowns = square.crowns || 0;
      const size = u * 0.27;
      const wide = size * (1 + 0.8 * crowns) + u * 0.06;
      cell.append(element("rect", {
        x: bx - wide / 2, y: by - size / 2 - u * 0.03, width: wide, height: size + u * 0.06, rx: u * 0.06, class: "badge",
      }));
      cell.append(picture(square.art, bx - wide / 2 + u * 0.03, by - size / 2, size));
      for (let n = 0; n < crowns; n++) {
        cell.append(picture("crown", bx - wide / 2 + u * 0.04 + size * (1 + 0.8 * n), by - size * 0.4, size * 0.8));
      }
      this.pieces(cell, square, x, y - u * 0.05, u * 0.36);
      return;
    }
    cell.append(picture(square.art, x - u * 0.48, y - u * 0.48, u * 0.96));
    for (let n = 0; n < (square.crowns || 0); n++) cell.append(picture("crown", x - u * 0.44 + n * u * 0.28, y - u * 0.46, u * 0.3));
    this.pieces(cell, square, x, y + u * 0.02, u * 0.44);
  }

  // Building, Court tile, resource and meeples, side by side around a point.
  pieces(cell, square, x, y, size) {
    const all = [];
    if (square.building) all.push([square.building === "?" ? "unknown_building" : square.building, 1.5, square.turned]);
    if (square.court) all.push([`court-${square.court.replace("~", "")}`, 1.4, square.court.endsWith("~")]);
    if (square.resource) all.push([`resource-${square.resource}`, 0.9]);
    for (const [name, count] of Object.entries(square.pieces)) for (let n = 0; n < count; n++) all.push([name, 0.8]);
    const step = Math.min(size * 0.75, (this.unit * 0.8) / Math.max(1, all.length));
    all.forEach(([id, scale, turned], n) => {
      const made = picture(id, x + (n - (all.length - 1) / 2) * step - (size * scale) / 2, y - (size * scale) / 2, size * scale);
      if (turned) made.setAttribute("class", "turned");
      cell.append(made);
    });
  }

  mark(cell, row, column, sign, kind) {
    const [x, y] = this.project(column + 0.82, row + 0.2);
    cell.append(
      this.polygon(row, column, 0.05, kind),
      element("circle", { cx: x, cy: y, r: this.unit * 0.15, class: `${kind} sign` }),
      element("text", { x, y: y + this.unit * 0.08, "font-size": this.unit * 0.24, class: "sign" }, sign),
    );
  }

  // Every territory: its outline, where it borders on something else, and its sum.
  outlines() {
    const group = element("g", { class: "territories", "aria-hidden": "true" });
    const sums = [];
    for (const { squares, sum, points, terrain } of this.view.territories) {
      const inside = new Set(squares.map(String));
      let path = "";
      for (const [row, column] of squares) {
        const corners = this.quad(row, column);
        [[-1, 0], [0, 1], [1, 0], [0, -1]].forEach(([dr, dc], n) => {
          if (!inside.has(String([row + dr, column + dc]))) path += `M${corners[n]}L${corners[(n + 1) % 4]}`;
        });
      }
      const kind = `${points ? "" : "worthless "}${terrain}`;
      const shade = this.lit && !squares.some((place) => this.lit.has(String(place))) ? " unlit" : "";
      group.append(element("path", { d: path, class: `casing${shade}` }), element("path", { d: path, class: `outline ${kind}${shade}` }));
      if (!shade) sums.push([squares, sum, kind]);
    }
    for (const [squares, sum, kind] of sums) {
      const [row, column] = squares.reduce((best, place) => (this.away(place, squares) < this.away(best, squares) ? place : best));
      const [x, y] = this.project(column + 0.5, row + (this.photo ? 0.4 : 0.74));
      const size = this.unit * 0.17;
      const wide = sum.length * size * 0.56 + size * 0.5;
      group.append(element("rect", { x: x - wide / 2, y: y - size * 0.75, width: wide, height: size * 1.4, rx: size * 0.5, class: `sum ${kind}` }));
      group.append(element("text", { x, y: y + size * 0.3, "font-size": size, class: `sum ${kind}` }, sum));
    }
    if (this.selected) group.append(this.polygon(...this.selected, 0.03, "selected"));
    this.svg.append(group);
  }

  // How far a square lies from the middle of its territory.
  away([row, column], squares) {
    const middle = squares.reduce(([r, c], [a, b]) => [r + a / squares.length, c + b / squares.length], [0, 0]);
    return Math.hypot(row - middle[0], column - middle[1]);
  }
}
