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

function openBox(event) {
  const details = target(event.currentTarget)?.closest("details");
  if (!details) return;
  event.preventDefault();
  details.open = true;
  const summary = details.querySelector("summary");
  summary.focus({ preventScroll: true });
  summary.scrollIntoView({ block: "nearest" });
}

for (const link of boxLinks) link.addEventListener("click", openBox);
for (const details of document.querySelectorAll(".box")) details.addEventListener("toggle", markBoxes);

function followAddress() {
  showPlanOf(document.getElementById(decodeURIComponent(location.hash.slice(1))));
}

if (articles.length > 1) {
  followAddress();
  addEventListener("hashchange", followAddress);
}
