// What links alone cannot do: mark the box of the open group, put the focus there, and show one plan of several.
"use strict";

const articles = [...document.querySelectorAll("article")];
const stackLinks = [...document.querySelectorAll(".stacks a")];
const boxLinks = [...document.querySelectorAll(".picture a")];

/** The element that a link names. */
function target(link) {
  return document.getElementById(link.getAttribute("href").slice(1));
}

/** Shows the plan that contains an element, or the first one. */
function showPlanOf(element) {
  const shown = articles.find((article) => article.contains(element)) ?? articles[0];
  for (const article of articles) article.hidden = article !== shown;
  for (const link of stackLinks) {
    if (target(link) === shown) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

function markBoxes() {
  for (const link of boxLinks) {
    if (target(link)?.closest("details").open) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

/** Follows the address: shows the plan, and opens the group at the top of the screen. Without a place, no group is open. */
function followAddress() {
  const element = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  showPlanOf(element);
  const details = element?.closest(".box");
  if (!element) for (const open of document.querySelectorAll(".box[open]")) open.open = false;
  if (!details) return;
  details.open = true;
  const summary = details.querySelector("summary");
  summary.focus({ preventScroll: true });
  summary.scrollIntoView({ block: "start" });
}

/** A link to a box is an address of its own, which the button Back leaves. */
function openBox(event) {
  const address = event.currentTarget.getAttribute("href");
  if (!target(event.currentTarget)) return;
  event.preventDefault();
  if (location.hash !== address) history.pushState(null, "", address);
  followAddress();
}

for (const link of boxLinks) link.addEventListener("click", openBox);
for (const details of document.querySelectorAll(".box")) details.addEventListener("toggle", markBoxes);
addEventListener("hashchange", followAddress);
followAddress();
