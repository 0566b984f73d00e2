#include "report/report_frames.h"

#include <math.h>

static void keep_worst(struct report_frames *f, const struct report_frame *frame)
{
	unsigned at = f->n_worst < REPORT_WORST ? f->n_worst++ : REPORT_WORST - 1;

	if (f->n_worst == REPORT_WORST && f->n > REPORT_WORST && f->worst[at].ms >= frame->ms)
		return;
	for (; at > 0 && f->worst[at - 1].ms < frame->ms; at--)
		f->worst[at] = f->worst[at - 1];
	f->worst[at] = *frame;
}

static unsigned bin_of(double ms)
{
	double bin = ms / REPORT_BIN_MS;

	return bin >= REPORT_FRAME_BINS - 1 ? REPORT_FRAME_BINS - 1 : (unsigned)bin;
}

void report_frames_add(struct report_frames *f, const struct report_frame *frame, double budget_ms)
{
	if (!(frame->ms >= 0))
		return;
	f->n++;
	f->late += budget_ms > 0 && frame->ms > budget_ms * REPORT_LATE;
	f->sum_ms += frame->ms;
	f->most_ms = frame->ms > f->most_ms ? frame->ms : f->most_ms;
	f->bins[bin_of(frame->ms)]++;
	keep_worst(f, frame);
}

double report_frames_at(const struct report_frames *f, double share)
{
	double wanted = share * (double)f->n, sum = 0;

	for (unsigned i = 0; i < REPORT_FRAME_BINS && f->n; i++) {
		sum += f->bins[i];
		if (sum >= wanted && f->bins[i])
			return i == REPORT_FRAME_BINS - 1 ? f->most_ms : (i + 0.5) * REPORT_BIN_MS;
	}
	return NAN;
}

double report_frames_low(const struct report_frames *f, double share)
{
	double wanted = floor(share * (double)f->n), left = wanted, ms = 0;

	for (unsigned i = REPORT_FRAME_BINS; i-- > 0 && left > 0;) {
		double n = f->bins[i] < left ? f->bins[i] : left;

		ms += n * (i == REPORT_FRAME_BINS - 1 ? f->most_ms : (i + 0.5) * REPORT_BIN_MS);
		left -= n;
	}
	return wanted >= 1 ? 1000 * wanted / ms : (double)NAN;
}

double report_frames_between(const struct report_frames *f, double from_ms, double to_ms)
{
	double sum = 0;

	for (unsigned i = bin_of(from_ms); i < REPORT_FRAME_BINS && i * REPORT_BIN_MS < to_ms - 1e-9; i++)
		sum += f->bins[i];
	return f->n ? sum / (double)f->n * 100 : (double)NAN;
}
