/**
 * What can be read off a matplotlib figure: the picture, and the numbers behind it as chart
 * metadata. Shared by the Python kernel and the one-shot runner, and needs neither: it only looks
 * at objects of a matplotlib that user code imported. E2B calls several axes a `superchart` and
 * tells dates as text; Daytona calls them a `composite_chart` and its clients accept numbers only.
 */
export const PYTHON_CHARTS = String.raw`
def _figure_png(figure):
    import io
    image = io.BytesIO()
    figure.savefig(image, format='png', bbox_inches='tight')
    return image.getvalue()


def _figure_chart(figure, several):
    charts = [_axes_chart(axes, several) for axes in figure.axes]
    if len(charts) == 1:
        return charts[0]
    title = figure._suptitle.get_text() if getattr(figure, '_suptitle', None) else None
    if not charts:
        return {'type': 'unknown', 'title': title, 'elements': []}
    return {'type': several, 'title': title, 'elements': charts}


def _axes_chart(axes, several):
    dates_as_text = several == 'superchart'
    chart = {'type': 'unknown', 'title': axes.get_title() or None, 'elements': []}
    for kind, elements in _readers(dates_as_text):
        found = elements(axes)
        if found:
            chart.update(type=kind, elements=found)
            break
    if chart['type'] in ('unknown', 'pie'):
        return chart
    for name in 'xy':
        label = getattr(axes, 'get_%slabel' % name)() or None
        chart['%s_label' % name] = label
        if dates_as_text:
            chart['%s_unit' % name] = _unit(label)
        if chart['type'] in ('line', 'scatter'):
            chart.update(_ticks(axes, name, dates_as_text))
    return chart


def _readers(dates_as_text):
    points = lambda xs, ys, axes: [
        [_coordinate(axes.xaxis, x, dates_as_text), _coordinate(axes.yaxis, y, dates_as_text)]
        for x, y in zip(xs, ys)
    ]

    def boxes(axes):
        return getattr(axes, '_cubeshift_boxes', [])

    def pie(axes):
        from matplotlib.patches import Wedge
        return [
            {'label': wedge.get_label(), 'angle': _rounded(abs(wedge.theta2 - wedge.theta1)),
             'radius': _rounded(wedge.r)}
            for wedge in axes.patches if isinstance(wedge, Wedge)
        ]

    def bars(axes):
        found = []
        for bars in axes.containers:
            if not hasattr(bars, 'patches') or not hasattr(bars, 'orientation'):
                continue
            across = bars.orientation == 'horizontal'
            labels = _labels_at(axes.yaxis if across else axes.xaxis)
            for bar in bars.patches:
                size = bar.get_width() if across else bar.get_height()
                middle = bar.get_y() + bar.get_height() / 2 if across else bar.get_x() + bar.get_width() / 2
                found.append({
                    'label': labels.get(round(float(middle), 6), '%g' % middle),
                    'group': bars.get_label(),
                    'value': _rounded(size) if dates_as_text else '%g' % size,
                })
        return found

    def lines(axes):
        return [
            {'label': line.get_label(), 'points': points(line.get_xdata(orig=False), line.get_ydata(orig=False), axes)}
            for line in axes.lines
        ]

    def scatters(axes):
        from matplotlib.collections import PathCollection
        return [
            {'label': found.get_label(), 'points': points(*found.get_offsets().T, axes)}
            for found in axes.collections if isinstance(found, PathCollection)
        ]

    return (
        ('box_and_whisker', boxes), ('pie', pie), ('bar', bars), ('line', lines), ('scatter', scatters)
    )


def _converter(axis):
    # Its accessor is newer than the attribute.
    found = axis.get_converter() if hasattr(axis, 'get_converter') else axis.converter
    return type(found).__name__


def _coordinate(axis, value, dates_as_text):
    if dates_as_text and 'Date' in _converter(axis):
        from matplotlib.dates import num2date
        return num2date(value).isoformat()
    return _rounded(value)


def _ticks(axes, name, dates_as_text):
    axis = getattr(axes, name + 'axis')
    kind = _converter(axis)
    is_date, is_category = 'Date' in kind, 'Category' in kind
    labels = [label.get_text() for label in axis.get_ticklabels()]
    ticks = [_coordinate(axis, tick, dates_as_text) for tick in axis.get_ticklocs()]
    return {
        name + '_ticks': labels if is_category and dates_as_text else ticks,
        name + '_tick_labels': labels,
        name + '_scale': 'datetime' if is_date else 'categorical' if is_category else axis.get_scale(),
    }


def _labels_at(axis):
    return {
        round(float(place), 6): label.get_text()
        for place, label in zip(axis.get_ticklocs(), axis.get_ticklabels())
        if label.get_text()
    }


def _rounded(value):
    """Plain and short: single precision shows as 0.30000001192092896 otherwise."""
    value = round(float(value), 6)
    return value if value - value == 0 else None


def _unit(label):
    import re
    found = re.search(r'[\(\[]([^\(\)\[\]]+)[\)\]]\s*$', label or '')
    return found.group(1) if found else None


def _remember_boxes():
    """Box plots leave only lines behind, so their statistics are kept when they are drawn."""
    from matplotlib.axes import Axes
    draw = Axes.bxp

    def bxp(self, bxpstats, *args, **options):
        self._cubeshift_boxes = [
            {
                'label': str(stats.get('label', number + 1)),
                'min': _rounded(stats['whislo']),
                'first_quartile': _rounded(stats['q1']),
                'median': _rounded(stats['med']),
                'third_quartile': _rounded(stats['q3']),
                'max': _rounded(stats['whishi']),
                'outliers': [_rounded(value) for value in stats.get('fliers', ())],
            }
            for number, stats in enumerate(bxpstats)
        ]
        return draw(self, bxpstats, *args, **options)

    Axes.bxp = bxp
`;
