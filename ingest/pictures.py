"""Which pages are too large to be drawn: by their own size, or by a picture on them."""

from __future__ import annotations

from typing import Any

MAX_PIXELS = 30_000_000
"""Of a drawn page."""
_MIN_DPI = 60  # a page so large that it would be drawn coarser than this is a poster
_MAX_SIDE = 14_400  # points; what PDF allows
_MAX_UNPACKED = 256 << 20  # bytes; MuPDF unpacks a picture whole. A3 in colour at 600 dpi has 209 million
_COMPONENTS = {"DeviceGray": 1, "CalGray": 1, "Indexed": 1, "Separation": 1, "DeviceCMYK": 4}


def too_large(page: Any, max_mpx: int) -> str | None:
    """Russian reason why the page must not be drawn, else None. `max_mpx`: of one picture, megapixels."""
    width, height = float(page.rect.width), float(page.rect.height)
    if 72 * (MAX_PIXELS / max(width * height, 1.0)) ** 0.5 < _MIN_DPI or max(width, height) > _MAX_SIDE:
        return f"страница слишком велика для распознавания ({width:.0f} × {height:.0f} пунктов)"
    return large_picture(page, max_mpx)


def large_picture(page: Any, max_mpx: int) -> str | None:
    """Russian reason why the pictures of the page must not even be loaded, else None."""
    for _, _, across, down, depth, colours, *_ in page.get_images(full=True):
        unpacked = across * down * _COMPONENTS.get(colours, 3) * max(depth, 1) // 8
        if across * down > max_mpx * 1_000_000 or unpacked > _MAX_UNPACKED:
            return (
                f"картинка слишком велика для распознавания ({across} × {down} точек, "
                f"{unpacked >> 20} МБ без сжатия)"
            )
    return None
