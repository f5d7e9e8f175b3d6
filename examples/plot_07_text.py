"""
Text: sparse tf-idf
===================

The estimators accept sparse matrices, and make one batch at a time dense. The data are twenty-four
sentences about two subjects, built from a few phrases. The picture shows the words with the
largest effect on the prediction.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline

from askl import SpectralKernelClassifier

rng = np.random.default_rng(0)
PHRASES = {
    "garden": "water the roses,prune the hedge,plant tomatoes,rake the leaves,sow the seeds",
    "kitchen": "chop the onions,bake the bread,stir the soup,roast tomatoes,wash the leaves",
}
WHEN = ["today", "in the morning", "again", "with care", "before noon"]
texts, subjects = [], []
for subject, phrases in PHRASES.items():
    for _ in range(12):
        chosen = rng.choice(phrases.split(","), size=2, replace=False)
        texts.append(f"{chosen[0]} {rng.choice(WHEN)} and {chosen[1]}")
        subjects.append(subject)

# %%
# A pipeline as usual, with ``scale_inputs="none"`` because tf-idf has its own scale.

model = make_pipeline(
    TfidfVectorizer(),
    SpectralKernelClassifier(
        n_components=200, density="gaussian", scale_inputs="none", random_state=0
    ),
)
predicted = cross_val_predict(model, texts, subjects, cv=4)
accuracy = np.mean(predicted == np.array(subjects))
model.fit(texts, subjects)

relevance = model[-1].feature_relevance_
words = model[0].get_feature_names_out()
most = np.argsort(relevance)[-10:]
figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.barh(words[most], relevance[most])
ax.set(xlabel="relevance", title=f"{accuracy:.0%} of sentences correct in cross-validation")
_ = figure.suptitle("The ten words with the largest effect")
