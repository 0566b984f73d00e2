"use strict";
// One cursor in all plots, and zoom on their common axis of time. Everything else works without this script. A value is read back from
// the path that draws it.
(function () {
	const boxes = Array.from(document.querySelectorAll(".bx:not(.own)"));
	if (!boxes.length)
		return;
	const steps = boxes[0].querySelector("svg").viewBox.baseVal.width, units = 2000;
	const seconds = +document.body.dataset.step;
	let from = 0, to = steps, at = -1, drag = null;

	function values(path) {
		if (path.points)
			return path.points;
		const points = new Array(steps).fill(NaN);
		let x = 0, y = 0;
		for (const c of path.getAttribute("d").match(/[MlVHZ][^MlVHZ]*/g) || []) {
			const n = (c.slice(1).match(/-?[\d.]+/g) || []).map(Number);
			if (c[0] === "M")
				[x, y] = n;
			else if (c[0] === "l")
				x += n[0], y += n[1];
			else
				continue;
			points[Math.floor(x)] = 1 - y / units;
		}
		return path.points = points;
	}
	function number(v) {
		return isNaN(v) ? "–" : v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v.toFixed(2);
	}
	function clock(s) {
		return s < 120 ? s.toFixed(1) + " s" : Math.floor(s / 60) + ":" + String(Math.floor(s % 60)).padStart(2, "0");
	}
	const tools = boxes.map(function (box) {
		const svg = box.querySelector("svg"), line = document.createElement("div"), time = document.createElement("b");
		const paths = Array.from(svg.querySelectorAll("path.l,path.f"));
		const labels = Array.from(box.querySelectorAll(".lg li")).map(li => ({li, text: li.textContent}));
		line.className = "cu";
		line.hidden = true;
		line.append(time);
		box.append(line);
		box.tabIndex = 0;
		return {box, svg, line, time, paths, labels};
	});

	function showCursor() {
		for (const t of tools) {
			t.line.hidden = at < from || at >= to;
			t.line.style.left = (at + .5 - from) / (to - from) * t.svg.clientWidth + "px";
			t.time.textContent = clock((at + .5) * seconds);
			const low = +t.box.dataset.bottom, high = +t.box.dataset.top, stack = "stack" in t.box.dataset;
			t.labels.forEach(function (l, i) {
				const v = at < 0 || !t.paths[i] ? NaN : values(t.paths[i])[at];
				const below = stack && t.paths[i + 1] && !t.paths[i + 1].classList.contains("was") ? values(t.paths[i + 1])[at] || 0 : 0;
				l.li.textContent = at < 0 ? l.text : l.text + " " + number((v - below) * (high - low) + (stack ? 0 : low)) + " " + t.box.dataset.unit;
			});
		}
	}
	function placeSpans(span) {
		const a = +span.dataset.a, b = +(span.dataset.b || a), left = Math.max(a, from), right = Math.min(b, to);
		span.hidden = right < left || a > to;
		span.style.left = (left - from) / (to - from) * 100 + "%";
		if (span.dataset.b)
			span.style.width = (right - left) / (to - from) * 100 + "%";
	}
	function showPart() {
		for (const svg of document.querySelectorAll("svg.p,.vb svg"))
			svg.setAttribute("viewBox", from + " 0 " + (to - from) + " " + units);
		document.querySelectorAll("[data-a]").forEach(placeSpans);
		for (const axis of document.querySelectorAll(".xa:not(.own)")) {
			axis.whole = axis.whole || axis.innerHTML;
			if (from === 0 && to === steps) {
				axis.innerHTML = axis.whole;
				continue;
			}
			axis.textContent = "";
			for (let i = 0; i <= 5; i++) {
				const span = document.createElement("span");
				span.textContent = clock((from + (to - from) * i / 5) * seconds);
				span.style.left = i * 20 + "%";
				axis.append(span);
			}
		}
		showCursor();
	}
	function zoom(a, b) {
		a = Math.max(0, Math.floor(a));
		b = Math.min(steps, Math.ceil(b));
		if (b - a < 4)
			return;
		from = a;
		to = b;
		showPart();
	}
	function step(t, event) {
		const r = t.svg.getBoundingClientRect();
		return Math.min(to - 1, Math.max(from, Math.floor(from + (event.clientX - r.left) / r.width * (to - from))));
	}
	for (const t of tools) {
		t.svg.addEventListener("pointermove", e => { at = step(t, e); showCursor(); });
		t.svg.addEventListener("pointerleave", () => { if (drag === null) { at = -1; showCursor(); } });
		t.svg.addEventListener("pointerdown", e => { if (e.pointerType === "mouse") drag = step(t, e); });
		t.svg.addEventListener("pointerup", function (e) {
			const end = step(t, e);
			if (drag !== null && Math.abs(end - drag) > 3)
				zoom(Math.min(drag, end), Math.max(drag, end) + 1);
			drag = null;
		});
		t.box.addEventListener("keydown", function (e) {
			const width = to - from, middle = at < 0 ? (from + to) / 2 : at;
			if (e.key === "ArrowRight" || e.key === "ArrowLeft")
				at = Math.min(to - 1, Math.max(from, (at < 0 ? Math.floor(middle) : at) + (e.key === "ArrowRight" ? 1 : -1)));
			else if (e.key === "+" || e.key === "=")
				zoom(middle - width / 4, middle + width / 4);
			else if (e.key === "-")
				zoom(middle - width, middle + width);
			else if (e.key === "Escape")
				at = -1, zoom(0, steps);
			else
				return;
			e.preventDefault();
			showCursor();
		});
	}
	for (const hint of document.querySelectorAll(".js"))
		hint.hidden = false;
})();
