# syntax=docker/dockerfile:1
# docker build .                    the bot on a processor (target `base`)
# docker build --target gpu .       with torch, for other e5 models and GENERATOR=transformers
#
# Nothing of the operator's is in the image: textbooks, registry and database lie under /data, models under /models.
ARG PYTHON=3.12

FROM python:${PYTHON}-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/paragraf
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
# The dependencies alone first: they change less often than the program.
RUN python -c "import tomllib; print('\n'.join(tomllib.load(open('pyproject.toml', 'rb'))['project']['dependencies']))" \
        > requirements.txt \
    && /opt/paragraf/bin/pip install -r requirements.txt
COPY answer answer
COPY bot bot
COPY evaluation evaluation
COPY index index
COPY ingest ingest
RUN /opt/paragraf/bin/pip install --no-deps .

FROM build AS build-gpu
RUN /opt/paragraf/bin/pip install '.[gpu]'

FROM python:${PYTHON}-slim AS runtime
# Scans are read with Tesseract; faiss needs libgomp.
RUN apt-get update \
    && apt-get install -y --no-install-recommends tesseract-ocr tesseract-ocr-rus libgomp1 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin paragraf \
    && install -d -o paragraf -g paragraf -m 0750 /data /models
ENV PATH=/opt/paragraf/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/tmp \
    HF_HOME=/models \
    STORE_DIR=/data/store \
    UPLOAD_DIR=/data/uploads \
    DATABASE_URL=sqlite+aiosqlite:////data/paragraf.sqlite3 \
    METRICS_LISTEN=127.0.0.1:9464
WORKDIR /data
VOLUME ["/data", "/models"]
USER paragraf
STOPSIGNAL SIGTERM
# Not before the model and the books are loaded.
HEALTHCHECK --interval=30s --timeout=10s --start-period=5m --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:9464/health', timeout=8)"]
ENTRYPOINT ["paragraf"]
CMD ["serve", "--telegram"]

FROM runtime AS gpu
COPY --from=build-gpu /opt/paragraf /opt/paragraf

# Last, so that it is what a plain `docker build .` makes.
FROM runtime AS base
COPY --from=build /opt/paragraf /opt/paragraf
