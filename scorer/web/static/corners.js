// The corners of a grid: four handles over a photo, to be dragged or moved by arrow keys; and its rows and columns.
import { $, $$, fill, words } from "./page.js";
import { element, gridToPhoto, STEPS } from "./board.js";

const MOST = 9;
const extent = (values) => [Math.min(...values), Math.max(...values)];

export class Corners {
  constructor(svg, photo, points, rows, columns) {
    Object.assign(this, { svg, photo, rows, columns, points: points.map((point) => [...point]) });
    // The grid with some table around it: it may reach further than it was thought to.
    const [[left, right], [top, bottom]] = [0, 1].map((axis) => extent(points.map((point) => point[axis])));
    this.size = Math.min(1.6 * Math.max(right - left, bottom - top), Math.max(photo.width, photo.height));
    this.frame = [(left + right - this.size) / 2, (top + bottom - this.size) / 2, this.size, this.size];
    svg.setAttribute("role", "group");
    for (const button of $$("[data-corner-step]")) {
      button.onclick = () => {
        const name = button.dataset.cornerStep;
        this[name] = Math.min(MOST, Math.max(1, this[name] + Number(button.dataset.by)));
        this.draw();
      };
    }
    this.draw();
  }

  draw() {
    const { svg, photo: { src, width, height }, rows, columns } = this;
    for (const name of ["rows", "columns"]) $(`[data-corner="${name}"]`).textContent = this[name];
    const project = gridToPhoto(this.points, rows, columns);
    const line = (a, b) => `M${project(...a)}L${project(...b)}`;
    let path = "";
    for (let row = 0; row <= rows; row++) path += line([0, row], [columns, row]);
    for (let column = 0; column <= columns; column++) path += line([column, 0], [column, rows]);
    svg.setAttribute("viewBox", this.frame.join(" "));
    svg.replaceChildren(
      element("image", { href: src, width, height }),
      element("path", { d: path, class: "casing" }),
      element("path", { d: path, class: "outline" }),
      ...this.points.map((point, number) => this.handle(point, number)),
    );
  }

  handle([cx, cy], number) {
    const label = fill(words().corner_number, { number: number + 1 });
    const made = element("circle", { cx, cy, r: this.size / 20, class: "handle", tabindex: 0, role: "button", "aria-label": label });
    made.addEventListener("pointerdown", (event) => this.drag(event, number));
    made.addEventListener("keydown", (event) => this.nudge(event, number));
    return made;
  }

  move(number, x, y) {
    const { width, height } = this.photo;
    this.points[number] = [Math.min(width, Math.max(0, x)), Math.min(height, Math.max(0, y))];
    this.draw();
  }

  drag(event, number) {
    event.preventDefault();
    const stop = new AbortController();
    const move = (at) => {
      const { x, y } = new DOMPoint(at.clientX, at.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
      this.move(number, x, y);
    };
    window.addEventListener("pointermove", move, { signal: stop.signal });
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => stop.abort(), { signal: stop.signal });
  }

  nudge(event, number) {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const far = this.photo.width / (event.shiftKey ? 20 : 200);
    const [x, y] = this.points[number];
    this.move(number, x + step[1] * far, y + step[0] * far);
    $$(".handle", this.svg)[number].focus();
  }
}
