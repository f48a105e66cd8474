// New game: shows what the chosen rule set plays with, as many seats as wanted.
import { $, $$ } from "./page.js";

const form = $("#setup");
const ruleSets = JSON.parse(form.dataset.rules);
const seats = $$("[data-seat]", form);

function update() {
  const rules = ruleSets[form.elements.rules.value];
  for (const box of $$('[name="expansions"]', form)) {
    const included = rules.expansions.includes(box.value);
    box.disabled = included;
    if (included) box.checked = true;
  }
  const plays = (name) => $(`[name="expansions"][value="${name}"]`, form).checked;
  const shown = { expansions: true, bonuses: rules.bonuses, quests: rules.quests || plays("giants"), court: plays("court") };
  for (const part of $$("[data-for]", form)) {
    part.hidden = !shown[part.dataset.for];
    for (const field of $$("input, select", part)) if (part.dataset.for !== "expansions") field.disabled = part.hidden;
  }
  const count = Number($("#count").value);
  const teams = $("#teams").checked;
  seats.forEach((seat, number) => {
    seat.hidden = number >= count;
    $(".partner", seat).hidden = !teams;
    $(".dot", seat).className = `dot ${$("select", seat).value}`;
  });
  $("#fewer").disabled = count <= 1;
  $("#more").disabled = count >= seats.length;
}

function seatsBy(step) {
  $("#count").value = Math.min(seats.length, Math.max(1, Number($("#count").value) + step));
  update();
}

$("#fewer").addEventListener("click", () => seatsBy(-1));
$("#more").addEventListener("click", () => seatsBy(1));
form.addEventListener("change", update);
update();
